extension FormatDescriptor {
  /// RAW formats with a start of their own. NEF, ARW, DNG, PEF and SRW start like any TIFF file, and are detected when
  /// an image is opened.
  static let raw = FormatDescriptor(
    format: .raw, name: "RAW",
    fileExtensions: ["dng", "cr2", "cr3", "nef", "nrw", "arw", "raf", "orf", "rw2", "pef", "srw"],
    mediaType: "image/x-dcraw",
    begins: { RAWContents.Beginning($0) != nil },
    open: RAWSession.init)
}
