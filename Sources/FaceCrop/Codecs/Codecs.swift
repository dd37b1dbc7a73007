internal import CBasics
internal import Glibc

/// The list of all formats. No other code knows them.
enum Codecs {
  /// The formats in the order in which they check a file's first bytes.
  static let all: [FormatDescriptor] = [.jpeg, .png, .webp, .heic, .avif, .gif, .jxl, .raw, .tiff]

  /// Returns the format of a file with these first bytes; nil if it is unknown.
  static func format(of bytes: Span<UInt8>) -> ImageFormat? {
    for descriptor in all where descriptor.begins(bytes) { return descriptor.format }
    return nil
  }

  static func descriptor(of format: ImageFormat) -> FormatDescriptor {
    all.first { $0.format == format }!
  }

  /// Opens an image, detected by its content, or a page of it, and calls `body` with its session.
  static func withSession<Result>(
    _ bytes: Span<UInt8>, page: Int? = nil, isFileMapping: Bool, allowsDamage: Bool, job: Job,
    _ body: (any ImageSession) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    guard !bytes.isEmpty else { throw .corrupt("the file is empty") }
    return try unsafe bytes.withBuffer { (buffer) throws(FaceCropError) in
      let source = unsafe ImageBytes(buffer, isFileMapping: isFileMapping, page: page)
      switch ImageKind(of: bytes) {
      case .read(let format):
        // Most RAW files start like any TIFF file.
        let isRAW = format == .tiff ? try RAWDirectories.isRAW(source, job) : false
        if let page, page != 1, isRAW || format != .tiff {
          throw .invalidRequest("the file has no page \(page), because only TIFF has several (leave the page out)")
        }
        return try body(descriptor(of: isRAW ? .raw : format).open(source, allowsDamage, job))
      case .other(let name): throw .unsupported("the file is \(name), not \(ImageFormat.names)")
      case .unknown: throw .unsupported("the file does not begin like \(ImageFormat.names)")
      }
    }
  }

  /// Encodes an image. In formats without transparency, `background` is behind transparent pixels.
  static func encode(
    _ input: EncoderInput, as format: OutputFormat, background: BackgroundColor, job: Job
  ) throws(FaceCropError) -> [UInt8] {
    try format.imageFormat.check(input.pixels.size)
    return switch format {
    case .jpeg(let quality, let subsampling, let isProgressive):
      try JPEGEncoder.encode(
        input, on: background, quality: quality, subsampling: subsampling, isProgressive: isProgressive, job: job)
    case .png: try PNGEncoder.encode(input, job: job)
    case .webp(let quality): try WebPEncoder.encode(input, quality: quality, job: job)
    case .webpLossless: try WebPEncoder.encode(input, quality: nil, job: job)
    case .avif(let quality, let subsampling, let speed):
      try AVIFEncoder.encode(input, quality: quality, subsampling: subsampling, speed: speed, job: job)
    case .tiff: try TIFFEncoder.encode(input, job: job)
    case .gif: try GIFEncoder.encode(input, job: job)
    }
  }

  /// Returns an encoder for an animation that plays `plays` times, or forever for 0. All frames have the size of the
  /// first one, and its metadata are written.
  static func animationEncoder(
    for first: EncoderInput, as format: OutputFormat, plays: Int, job: Job
  ) throws(FaceCropError) -> any AnimationEncoder {
    try format.imageFormat.check(first.pixels.size)
    switch format {
    case .gif: return try GIFEncoder(for: first, plays: plays, job: job)
    case .webp(let quality): return try WebPAnimationEncoder(for: first, quality: quality, plays: plays, job: job)
    case .webpLossless: return try WebPAnimationEncoder(for: first, quality: nil, plays: plays, job: job)
    case .jpeg, .png, .avif, .tiff: throw .noAnimation(in: format.imageFormat)
    }
  }

  /// Returns an upper bound of the bytes, file included, for an encoder of ``animationEncoder(for:as:plays:job:)``.
  static func animationBytes(as format: OutputFormat, area: Double, frames: Double, limits: Limits) -> Double {
    switch format {
    case .webp: WebPAnimationEncoder.bytes(area: area, frames: frames, isLossless: false, limits: limits)
    case .webpLossless: WebPAnimationEncoder.bytes(area: area, frames: frames, isLossless: true, limits: limits)
    // Formats without animations become GIF.
    case .gif, .jpeg, .png, .avif, .tiff: GIFEncoder.bytes(area: area, frames: frames)
    }
  }

  /// Returns an encoder for rows without metadata, for formats that are written from the top.
  static func rowEncoder(
    _ size: PixelSize, _ pixels: PixelBuffer.Format, as format: OutputFormat, resolution: Double?, _ job: Job
  ) throws(FaceCropError) -> any RowEncoder {
    try format.imageFormat.check(size)
    switch format {
    case .jpeg(let quality, let subsampling, isProgressive: false):
      return try JPEGEncoder(size, pixels, quality: quality, subsampling: subsampling, resolution: resolution, job)
    case .png: return try PNGEncoder(size, pixels, resolution: resolution, job)
    case .tiff: return TIFFEncoder(size, pixels, resolution: resolution)
    case .jpeg, .webp, .webpLossless, .avif, .gif:
      throw .invalidRequest("the format cannot be written row by row (choose baseline JPEG, PNG or TIFF)")
    }
  }

  /// Returns an upper bound of the bytes that ``encode(_:as:background:job:)`` needs for `area` pixels beyond the
  /// pixels, the file included. It is the worst case of each encoder, measured with noise.
  static func encodingBytes(
    as format: OutputFormat, area: Double, format pixels: PixelBuffer.Format, limits: Limits
  ) -> Double {
    switch format {
    case .jpeg(let quality, let subsampling, let isProgressive):
      JPEGEncoder.bytes(
        area: area, pixels, quality: quality, subsampling: subsampling, isProgressive: isProgressive)
    case .png: PNGEncoder.bytes(area: area, pixels)
    case .webp: WebPEncoder.bytes(area: area, pixels, isLossless: false, limits: limits)
    case .webpLossless: WebPEncoder.bytes(area: area, pixels, isLossless: true, limits: limits)
    case .avif(let quality, let subsampling, let speed):
      AVIFEncoder.bytes(area: area, pixels, quality: quality, subsampling: subsampling, speed: speed)
    case .tiff: TIFFEncoder.bytes(area: area, pixels)
    case .gif: GIFEncoder.bytes(area: area, frames: 1)
    }
  }

  // MARK: Images in other files

  /// The memory and work of image data in another file, by the headers of the data.
  struct EmbeddedStream {
    /// An upper bound of the bytes that a decoder holds beyond its rows: coefficients, or prefix codes.
    var heldBytes = 0
    /// The pixels of all scans but the first one.
    var repeatedPixels = 0
  }

  /// Reads the headers of JPEG data; nil if they are damaged, or the image is larger than `most`.
  static func embeddedJPEG(
    _ bytes: Span<UInt8>, most: PixelSize, _ job: Job
  ) throws(FaceCropError) -> EmbeddedStream? {
    try EmbeddedStream(jpeg: bytes, most: most, job: job)
  }

  /// Reads the chunks of a WebP image; nil if it is no still image, or larger than `most`.
  static func embeddedWebP(
    _ bytes: Span<UInt8>, most: PixelSize, _ job: Job
  ) throws(FaceCropError) -> EmbeddedStream? {
    try EmbeddedWebP(reading: bytes, most: most, job: job).map { EmbeddedStream(heldBytes: $0.codeBytes) }
  }

  /// Throws ``FaceCropError/invalidRequest(_:)`` unless the quality is 1…100.
  static func check(quality: Int) throws(FaceCropError) {
    try InvalidRequest.check((1...100).contains(quality), "quality", mustBe: "1 to 100", not: "\(quality)")
  }
}

/// The bytes of a file, borrowed during a session.
@safe struct ImageBytes {
  let buffer: UnsafeBufferPointer<UInt8>
  /// Whether pages can be returned to the system after reading.
  let isFileMapping: Bool
  /// The page to read, from 1; nil lets the format choose.
  let page: Int?

  init(_ buffer: UnsafeBufferPointer<UInt8>, isFileMapping: Bool, page: Int? = nil) {
    unsafe self.buffer = buffer
    (self.isFileMapping, self.page) = (isFileMapping, page)
  }

  /// Copies bytes of a shim.
  static func copy(_ bytes: FCBytes) -> [UInt8] { unsafe Array(UnsafeBufferPointer(bytes)) }

  static func copy(_ part: FCPart) -> [UInt8] { unsafe copy(FCBytes(bytes: part.bytes, count: part.count)) }

  /// Copies memory that a shim allocated and no longer needs. Copied pages are returned to the system, so that a large
  /// file never occupies memory twice.
  static func take(_ memory: FCBytes) -> [UInt8] {
    guard let bytes = unsafe memory.bytes else { return [] }
    let count = unsafe memory.count
    let page = sysconf(Int32(_SC_PAGESIZE))
    let step = 256 * page
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { taken, initialized in
      // The first step ends at a page boundary, and later ones cover many pages.
      var start = 0
      var end = (page - Int(bitPattern: bytes) % page) % page
      while start < count {
        end = min(end, count)
        unsafe (taken.baseAddress! + start).initialize(from: bytes + start, count: end - start)
        let pages = start == 0 ? 0 : (end - start) / page * page
        if pages > 0 { unsafe madvise(UnsafeMutableRawPointer(mutating: bytes + start), pages, MADV_DONTNEED) }
        (start, end) = (end, end + step)
      }
      initialized = count
    }
  }
}
