internal import Glibc

extension GainMapSource {
  /// Opens a JPEG file's gain map: the first image after the primary one with gain map metadata. Returns nil for a file
  /// without one, and throws for an unreadable one.
  init?(of header: JPEGHeader, in bytes: ImageBytes, _ job: Job) throws(FaceCropError) {
    guard let index = header.multiPicture else { return nil }
    for picture in try MultiPicture.others(in: bytes, index, job) {
      try job.step()
      let part = unsafe ImageBytes(
        UnsafeBufferPointer(rebasing: bytes.buffer[picture]), isFileMapping: bytes.isFileMapping)
      guard unsafe part.buffer.span.starts(with: [0xFF, 0xD8, 0xFF]) else { continue }
      let map = try JPEGSession(part, allowsDamage: false, job: job)
      guard
        let metadata = try GainMap.Metadata(
          packet: map.file.credits.xmp, iso: map.file.gainMap,
          headroom: header.exif.flatMap { AppleHeadroom.factor(in: $0, job) }, job)
      else { continue }
      // Some maps have more pixels than the image, but none has many times as many.
      guard map.header.size.area <= 4 * header.size.area else {
        throw .corrupt("the gain map is far larger than the image")
      }
      try job.limits.check(.pixels, header.size.bytes(channels: 1).addingClamped(map.header.size.bytes(channels: 1)))
      try map.checkHeader(fileBytes: picture.count, job.limits)
      try map.admit()
      self.metadata = metadata
      session = map
      return
    }
    return nil
  }
}

/// The HDR headroom in Apple's maker note (Apple, "Applying Apple HDR effect to your photos").
enum AppleHeadroom {
  private static let (headroom, gain) = (0x21, 0x30)

  /// Returns the headroom in EXIF data, a TIFF structure, as a factor; nil if absent.
  static func factor(in exif: [UInt8], _ job: Job) -> Double? {
    unsafe exif.withUnsafeBufferPointer { bytes in
      guard let file = unsafe TIFFFile(ImageBytes(bytes, isFileMapping: false)), let first = file.firstDirectory,
        let main = try? file.entries(at: first, job), let directory = file.number(main[EXIFTags.exifDirectory]),
        let note = try? file.entries(at: directory, job)[EXIFTags.makerNote]?.values.lowerBound,
        file.contains("Apple iOS\0", at: note), file.contains("MM", at: note + 12),
        // The note's offsets are relative to its own start.
        let part = file.part(from: note, TIFFFile.Kind(.bigEndian)), let entries = try? part.entries(at: 14, job),
        let headroom = part.fraction(entries[headroom]), let gain = part.fraction(entries[gain])
      else { return nil }
      let stops =
        headroom < 1
        ? gain <= 0.01 ? 1.8 - 20 * gain : 1.601 - 0.101 * gain
        : gain <= 0.01 ? 3 - 70 * gain : 2.303 - 0.303 * gain
      return exp2(max(stops, 0))
    }
  }
}
