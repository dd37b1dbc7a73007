extension FormatDescriptor {
  static let jxl = FormatDescriptor(
    format: .jxl, name: "JPEG XL", fileExtensions: ["jxl"], mediaType: "image/jxl",
    // A codestream alone, or the first box of a container (ISO/IEC 18181-2).
    begins: {
      $0.starts(with: [0xFF, 0x0A])
        || $0.starts(with: [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A])
    },
    open: JXLSession.init)
}
