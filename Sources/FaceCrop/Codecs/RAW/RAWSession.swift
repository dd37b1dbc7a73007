/// A RAW file during one request: its largest JPEG, decoded in place. Otherwise, only its directories are read.
@safe final class RAWSession: OrientedLosslessSession {
  private let image: ImageHeader

  override var format: ImageFormat { .raw }
  override var header: ImageHeader { image }

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    let contents = try RAWContents(reading: bytes, job: job)
    let preview = try Self.largest(of: contents, in: bytes, allowsDamage: allowsDamage, job)
    var image = preview.header
    image.raw = contents.origin
    let exif = image.exif.flatMap(EXIF.init)
    // A preview without an orientation is oriented like the sensor.
    if exif?.number(EXIFTags.orientation, in: .main) == nil { image.orientation = contents.orientation }
    if exif == nil, !contents.exif.isEmpty {
      image.exif = contents.exif
      if image.profile == nil, let tags = EXIF(contents.exif) { image.take(profileOf: tags) }
    }
    if image.credits.xmp.isEmpty, image.credits.iptc.isEmpty { image.credits = contents.credits }
    self.image = image
    super.init(cutter: preview, image.orientation)
  }

  /// Opens the JPEG file with the most pixels. Lossless JPEG, which some cameras use for sensor data, does not count.
  private static func largest(
    of contents: RAWContents, in bytes: ImageBytes, allowsDamage: Bool, _ job: Job
  ) throws(FaceCropError) -> JPEGSession {
    let span = unsafe bytes.buffer.span
    var found: JPEGSession?
    var fault: FaceCropError?
    for preview in contents.previews {
      try job.step()
      guard preview.lowerBound < span.count else { continue }
      // A range that reaches out of the file means a truncated file.
      let range = preview.clamped(to: 0..<span.count)
      guard span.starts(with: [0xFF, 0xD8, 0xFF], at: range.lowerBound) else { continue }
      do throws(FaceCropError) {
        let part = unsafe ImageBytes(
          UnsafeBufferPointer(rebasing: bytes.buffer[range]), isFileMapping: bytes.isFileMapping)
        let session = try JPEGSession(part, allowsDamage: allowsDamage, job: job)
        if session.header.size.area > found?.header.size.area ?? 0 { found = session }
      } catch {
        // The error is kept, because the image over a limit may be the only one.
        if case .overLimit = error { fault = fault ?? error }
        try job.check()
      }
    }
    if let found { return found }
    let kind = contents.origin.kind == .other ? "" : " (\(contents.origin.kind))"
    throw fault
      ?? .unsupported(
        "the camera's RAW file\(kind) has no readable JPEG preview, and RAW data are not developed (export it as JPEG)"
      )
  }
}
