@testable import FaceCrop

/// A target that reads an image of any format: its header, both overviews, and a chosen region, with and without
/// allowed damage or an earlier overview.
///
/// Promises: sizes are right, progress is in order, and errors blame the file. Allowing damage loses no result and
/// changes none. A region has the pixels of the whole image. Earlier calls do not change later results.
enum PictureTarget {
  /// Small limits keep inputs fast.
  static let limits = {
    var limits = Limits()
    limits.pixels = 1 << 18
    limits.scans = 20
    limits.coefficientBytes = 4 << 20
    limits.metadataBytes = 64 << 10
    limits.regionBytes = 4 << 20
    limits.imageBytes = 4 << 20
    limits.heifBytes = 4 << 20
    return limits
  }()

  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let input = FuzzInput(bytes) else { return }
    let strict = try outcome(input, .chosenRegion(looksFirst: input.looksFirst), allowsDamage: false)
    let lenient = try outcome(input, .chosenRegion(looksFirst: input.looksFirst), allowsDamage: true)
    if case .success(let strict) = strict {
      guard case .success(let lenient) = lenient else {
        throw Finding("fails only when damage is allowed: \(lenient)")
      }
      try Finding.unless(strict.picture == lenient.picture, "another picture when damage is allowed")
    }
    guard case .success(let some) = lenient else { return }

    let other = try outcome(input, .chosenRegion(looksFirst: !input.looksFirst), allowsDamage: true)
    let whole = try outcome(input, .whole, allowsDamage: true)
    if case .success(let other) = other, !some.isDamaged, !other.isDamaged {
      try Finding.unless(some.picture == other.picture, "a look changes what is rendered")
    }
    if case .success(let whole) = whole, !whole.isDamaged, !some.isDamaged {
      let difference = some.picture.maximumDifference(from: whole.picture.cut(to: some.rect))
      try Finding.unless(
        difference <= largestDifference(input.file), "the region is \(difference) levels off the whole picture")
    }
    let cancelled = try outcome(
      input, .chosenRegion(looksFirst: input.looksFirst), allowsDamage: true, cancelsAfter: input.reportsUntilCancelled)
    if case .success(let uncancelled) = cancelled {
      try Finding.unless(some.picture == uncancelled.picture, "another picture by a request that is cancelled too late")
    }
  }

  /// Returns 1 for lossy WebP, since libwebp rounds its upsampling differently at the image's edges.
  private static func largestDifference(_ file: [UInt8]) -> Int {
    ImageKind(of: file.span) == .read(.webp) ? 1 : 0
  }

  private enum Request {
    case chosenRegion(looksFirst: Bool)
    case whole
  }

  private struct Rendering {
    var rect: PixelRect
    var picture: PixelBuffer
    var isDamaged: Bool
  }

  private static func outcome(
    _ input: FuzzInput, _ request: Request, allowsDamage: Bool, cancelsAfter: Int? = nil
  ) throws(Finding) -> Result<Rendering, FaceCropError> {
    let observer = Observer(cancelsAfter: cancelsAfter)
    let job = observer.job(limits: limits)
    var fault: Finding?
    var rows: Int?
    let outcome = Result { () throws(FaceCropError) in
      try withSession(input, allowsDamage: allowsDamage, job: job) { (session) throws(FaceCropError) in
        rows = session.header.size.height
        do throws(Finding) {
          return try render(input, request, session, job, observer)
        } catch {
          fault = error
          throw .invalidRequest("")
        }
      }
    }
    if let fault { throw fault }
    if let fault = observer.fault { throw Finding(fault) }
    switch outcome {
    case .success(.success(let rendering)): return .success(rendering)
    case .success(.failure(let error)), .failure(let error):
      try check(error, rows: rows, allowsDamage: allowsDamage, isCancellable: cancelsAfter != nil)
      return .failure(error)
    }
  }

  private static func withSession<Result>(
    _ input: FuzzInput, allowsDamage: Bool, job: Job, _ body: (any ImageSession) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    let bytes = input.file.span
    guard input.usesIndex, ImageKind(of: bytes) == .read(.jpeg) else {
      return try Codecs.withSession(bytes, isFileMapping: false, allowsDamage: allowsDamage, job: job, body)
    }
    return try unsafe bytes.withBuffer { (buffer) throws(FaceCropError) in
      let source = unsafe ImageBytes(buffer, isFileMapping: false)
      return try body(JPEGSession(source, allowsDamage: allowsDamage, access: .indexed, job: job))
    }
  }

  // MARK: Promises

  private static func render(
    _ input: FuzzInput, _ request: Request, _ session: any ImageSession, _ job: Job, _ observer: Observer
  ) throws(Finding) -> Result<Rendering, FaceCropError> {
    try check(session.header, of: session.format)
    let scale = input.scale(of: session.scales)
    let whole = PixelRect(whole: session.header.size, scale: scale)
    var rect = whole
    if case .chosenRegion(let looksFirst) = request {
      rect = input.rect(in: whole.size)
      if looksFirst {
        for format in [PixelBuffer.Format.gray, .rgb] {
          switch Result(catching: { () throws(FaceCropError) in
            try session.overview(OverviewRequest(format: format)).value
          }) {
          case .success(let overview): try check(overview, format: format, of: session.header.size)
          case .failure(let error): return .failure(error)
          }
        }
      }
    }
    let decoded: Decoded<PixelBuffer>
    do throws(FaceCropError) {
      decoded = try session.picture(
        of: RegionRequest(rect: rect, scale: scale, progress: ProgressSpan(job: job, phase: .render)))
    } catch {
      return .failure(error)
    }
    let picture = decoded.value
    try Finding.unless(
      picture.size == rect.size && picture.format == session.header.format, "a region of another size or format")
    var isDamaged = false
    for fault in decoded.faults {
      try check(fault, rows: session.header.size.height)
      switch fault {
      case .truncated(let intactRows, let rows, _): isDamaged = isDamaged || intactRows < rows
      case .corrupt: isDamaged = true
      default: break
      }
    }
    if !isDamaged { try Finding.unless(observer.lastFraction == 1, "progress does not come to its end") }
    return .success(Rendering(rect: rect, picture: picture, isDamaged: isDamaged))
  }

  private static func check(_ header: ImageHeader, of format: ImageFormat) throws(Finding) {
    let size = header.size
    try Finding.unless(size.shortSide >= 1 && size.width * size.height <= limits.pixels, "a picture of \(size)")
    let metadataBytes = (header.profile?.count ?? 0) + (header.exif?.count ?? 0)
    try Finding.unless(metadataBytes <= limits.metadataBytes, "\(metadataBytes) bytes of metadata")
    if let profile = header.profile {
      try Finding.unless(ICCProfile.fits(profile, header.isGray ? .gray : .rgb), "a profile for other colors")
    }
    // HEIC, AVIF and JPEG XL have their own properties for the orientation.
    if let exif = header.exif, ![.heic, .avif, .jxl].contains(format) {
      try Finding.unless(EXIF(exif)?.orientation == header.orientation, "another orientation than the EXIF data's")
    }
  }

  private static func check(_ overview: PixelBuffer, format: PixelBuffer.Format, of size: PixelSize) throws(Finding) {
    let isSmall = size.longSide <= Overview.side
    try Finding.unless(
      overview.format == format && overview.size.shortSide >= 1
        && (isSmall ? overview.size == size : overview.size.longSide <= Overview.side),
      "an overview of \(overview.size) in \(overview.format) for a picture of \(size)")
  }

  private static func check(_ fault: CropWarning, rows: Int) throws(Finding) {
    switch fault {
    case .truncated(let intactRows, let all, _), .corrupt(let intactRows, let all):
      try Finding.unless(all == rows && (0...rows).contains(intactRows), "the fault \(fault)")
    case .irregular, .profileDropped: break
    default: throw Finding("the fault \(fault)")
    }
  }

  /// Checks an error.
  ///
  /// - Parameter rows: The rows of the image; nil if the header was refused.
  private static func check(
    _ error: FaceCropError, rows: Int?, allowsDamage: Bool, isCancellable: Bool
  ) throws(Finding) {
    switch error {
    case .unsupported, .corrupt: break
    case .overLimit(_, let actual, let allowed):
      try Finding.unless(actual > allowed, "a limit of \(allowed) for \(actual)")
    case .truncated(let intactRows, let all, _):
      try Finding.unless(
        !allowsDamage && all == rows && (0...all).contains(intactRows), "an error that the picture \(error)")
    case .cancelled: try Finding.unless(isCancellable, "it is cancelled by itself")
    default: throw Finding("an error that does not blame the file: \(error.kind): it \(error)")
    }
  }
}

extension PixelBuffer {
  fileprivate func cut(to rect: PixelRect) -> PixelBuffer {
    var cut: [UInt8] = []
    cut.reserveCapacity(rect.width * rect.height * format.channels)
    for y in rect.y..<rect.y + rect.height {
      let start = y * bytesPerRow + rect.x * format.channels
      cut += bytes[start..<start + rect.width * format.channels]
    }
    return PixelBuffer(size: rect.size, format: format, bytes: cut)
  }

  /// Returns the largest difference of two images of the same size and format.
  fileprivate func maximumDifference(from other: PixelBuffer) -> Int {
    bytes == other.bytes ? 0 : zip(bytes, other.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }
}
