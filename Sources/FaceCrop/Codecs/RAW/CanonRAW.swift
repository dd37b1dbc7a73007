/// Canon's CR3: an ISO base media file in which one track is a full-size JPEG (https://github.com/lclevy/canon_cr3).
enum CanonRAW {
  /// The upper bound of boxes in a file. Real files have about six.
  private static let mostBoxes = 1_000
  private static let metadata: [UInt8] = [
    0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
  ]
  private static let preview: [UInt8] = [
    0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88, 0xB9, 0xFB, 0xB7, 0xDC, 0x40, 0x6E, 0x4D, 0x16,
  ]

  static func contents(of bytes: ImageBytes, _ job: Job) throws(FaceCropError) -> RAWContents {
    let span = unsafe bytes.buffer.span
    var contents = RAWContents(.cr3)
    var offset = 0
    for _ in 0..<mostBoxes {
      try job.step()
      guard let box = try BoxHeader(in: span, at: offset), box.content.upperBound <= span.count else { break }
      if box.type == "moov" {
        try job.limits.check(.metadataBytes, box.content.count)
        var movie = ByteReader(span.copy(box.content))
        try read(&movie, into: &contents, job)
      } else if box.type == "uuid", span.starts(with: preview, at: box.content.lowerBound) {
        // After the identifier come eight unknown bytes, then a box. Its header ends with the preview's length.
        let start = box.content.lowerBound + 16 + 8
        if span.contains("PRVW", at: start + 4) { contents.addPreview(at: start + 24, span.uint32(at: start + 20)) }
      }
      offset = box.content.upperBound
    }
    return contents
  }

  private static func read(
    _ movie: inout ByteReader, into contents: inout RAWContents, _ job: Job
  ) throws(FaceCropError) {
    for var box in try movie.boxes() {
      try job.step()
      switch box.type {
      case "uuid":
        guard box.content.remaining >= 16, try box.content.part(16).rest == metadata else { continue }
        try read(metadata: &box.content, into: &contents)
      case "trak": try read(track: box.content, into: &contents)
      default: continue
      }
    }
  }

  /// Reads a track's only sample, and the size in its description.
  private static func read(track: ByteReader, into contents: inout RAWContents) throws(FaceCropError) {
    guard let media = try track.first("mdia"), let information = try media.first("minf"),
      let table = try information.first("stbl")
    else { return }
    if var descriptions = try table.first("stsd") {
      _ = try descriptions.number(8)
      if var entry = try descriptions.box(), entry.type == "CRAW", entry.content.remaining >= 28 {
        _ = try entry.content.part(24)
        contents.addSensor(
          PixelSize(width: try entry.content.number(2), height: try entry.content.number(2)))
      }
    }
    guard var sizes = try table.first("stsz") else { return }
    _ = try sizes.version()
    var length = try sizes.number(4)
    if length == 0, try sizes.number(4) > 0 { length = try sizes.number(4) }
    for (type, width) in [("co64", 8), ("stco", 4)] as [(FourCharacterCode, Int)] {
      guard var offsets = try table.first(type) else { continue }
      _ = try offsets.version()
      if try offsets.number(4) > 0 { contents.addPreview(at: try offsets.number(width), length) }
    }
  }

  /// Reads the EXIF directories, each stored as separate data that start with it.
  private static func read(
    metadata content: inout ByteReader, into contents: inout RAWContents
  ) throws(FaceCropError) {
    var data: EXIF?
    for box in try content.boxes() {
      let directories: [FourCharacterCode: EXIF.Directory] = ["CMT1": .main, "CMT2": .exif, "CMT4": .gps]
      guard let directory = directories[box.type], let part = EXIF(box.content.rest, beginningWith: directory) else {
        continue
      }
      if directory == .main { contents.orientation = part.orientation }
      // Each part has its own byte order, which must be the same for all.
      if data == nil { data = EXIF(part.order) }
      if data?.order == part.order { data?.values[directory] = part.values[directory] }
    }
    guard let data else { return }
    contents.setCamera(
      make: Array(data.text(TIFFTag.make, in: .main) ?? []), model: Array(data.text(TIFFTag.model, in: .main) ?? []))
    contents.exif = data.written() ?? []
  }
}

extension ByteReader {
  /// Returns the content of the first box of a type, without moving the reader.
  fileprivate func first(_ type: FourCharacterCode) throws(FaceCropError) -> ByteReader? {
    var rest = self
    for _ in 0..<1_000 {
      guard let box = try rest.box() else { return nil }
      if box.type == type { return box.content }
    }
    return nil
  }
}
