/// The coding processes of JPEG that no decoder here supports (ITU-T T.81, table B.1).
enum JPEGProcess {
  /// Returns the name of the process that a frame's marker declares.
  static func name(_ marker: UInt8) -> String {
    switch marker {
    case 0xC3, 0xCB: "lossless JPEG"
    case 0xC5...0xC7, 0xCD...0xCF: "hierarchical JPEG"
    default: "JPEG with an unknown coding process"
    }
  }

  /// Returns the name of the process of JPEG data inside another format's file, if it is unsupported. Returns nil for a
  /// supported one, and if the first segments contain no frame.
  static func unsupported(in bytes: Span<UInt8>, _ job: Job) throws(FaceCropError) -> String? {
    let mostSegments = 64
    var offset = 2
    for _ in 0..<mostSegments {
      try job.step()
      guard bytes.byte(at: offset) == 0xFF, let marker = bytes.byte(at: offset + 1),
        let length = bytes.uint16(at: offset + 2)
      else { return nil }
      switch marker {
      case 0xC3, 0xC5...0xC7, 0xCB, 0xCD...0xCF: return name(marker)
      case 0xC0...0xC2, 0xC9, 0xCA, 0xD9, 0xDA: return nil
      default: offset += 2 + length
      }
    }
    return nil
  }
}
