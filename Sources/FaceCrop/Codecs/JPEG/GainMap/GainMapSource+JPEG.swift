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
