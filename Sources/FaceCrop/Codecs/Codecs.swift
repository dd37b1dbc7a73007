internal import Glibc

/// The one place that knows all formats.
enum Codecs {
  /// In the order in which they are asked whether a file is theirs.
  static let all: [FormatDescriptor] = [.jpeg, .png, .webp, .heic, .avif, .gif, .jxl, .raw, .tiff]

  /// What a file is that begins like this; nil if it is nothing that is read.
  static func format(of bytes: Span<UInt8>) -> ImageFormat? {
    for descriptor in all where descriptor.begins(bytes) { return descriptor.format }
    return nil
  }

  /// Every format has one.
  static func descriptor(of format: ImageFormat) -> FormatDescriptor {
    all.first { $0.format == format }!
  }

  /// Opens a picture, by what its bytes say it is, for as long as `body` runs.
  static func withSession<Result>(
    _ bytes: Span<UInt8>, isFileMapping: Bool, allowsDamage: Bool, job: Job,
    _ body: (any ImageSession) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    guard !bytes.isEmpty else { throw .corrupt("the file is empty") }
    return try unsafe bytes.withBuffer { (buffer) throws(FaceCropError) in
      let source = unsafe ImageBytes(buffer, isFileMapping: isFileMapping)
      switch ImageKind(of: bytes) {
      case .read(let format):
        // Most cameras' RAW files begin like any TIFF file.
        let isRAW = format == .tiff ? try RAWDirectories.isRAW(source, job) : false
        return try body(descriptor(of: isRAW ? .raw : format).open(source, allowsDamage, job))
      case .other(let name): throw .unsupported("the file is \(name), not \(ImageFormat.names)")
      case .unknown: throw .unsupported("the file does not begin like \(ImageFormat.names)")
      }
    }
  }

  /// - Parameter background: shows through where the format has no transparency.
  static func encode(
    _ crop: RenderedCrop, as format: OutputFormat, background: BackgroundColor, job: Job
  ) throws(FaceCropError) -> [UInt8] {
    switch format {
    case .jpeg(let quality, let subsampling, let isProgressive):
      try JPEGEncoder.encode(
        crop, on: background, quality: quality, subsampling: subsampling, isProgressive: isProgressive, job: job)
    case .png: try PNGEncoder.encode(crop, job: job)
    case .webp(let quality): try WebPEncoder.encode(crop, quality: quality, job: job)
    case .webpLossless: try WebPEncoder.encode(crop, quality: nil, job: job)
    case .avif(let quality, let subsampling, let speed):
      try AVIFEncoder.encode(crop, quality: quality, subsampling: subsampling, speed: speed, job: job)
    case .tiff: try TIFFEncoder.encode(crop, job: job)
    }
  }

  /// An encoder for rows of a picture without metadata, for formats whose files grow from the top.
  static func rowEncoder(
    _ size: PixelSize, _ pixels: PixelBuffer.Format, as format: OutputFormat, resolution: Double?, _ job: Job
  ) throws(FaceCropError) -> any RowEncoder {
    switch format {
    case .jpeg(let quality, let subsampling, isProgressive: false):
      return try JPEGEncoder(size, pixels, quality: quality, subsampling: subsampling, resolution: resolution, job)
    case .png: return try PNGEncoder(size, pixels, resolution: resolution, job)
    case .tiff: return TIFFEncoder(size, pixels, resolution: resolution)
    case .jpeg, .webp, .webpLossless, .avif:
      throw .invalidRequest("the format cannot be written row by row (choose baseline JPEG, PNG or TIFF)")
    }
  }

  /// Bytes that ``encode(_:as:background:job:)`` holds at most beside the pixels, the file itself among them: the worst that was
  /// measured of each encoder, with noise.
  ///
  /// - Parameter area: pixels.
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
    }
  }

  /// - Throws: ``FaceCropError/invalidRequest(_:)`` unless it is 1…100.
  static func check(quality: Int) throws(FaceCropError) {
    guard (1...100).contains(quality) else { throw .invalidRequest("the quality must be 1 to 100, not \(quality)") }
  }
}

/// A file's bytes, borrowed for as long as a session lives.
@safe struct ImageBytes {
  let buffer: UnsafeBufferPointer<UInt8>
  /// Pages that were read may be given back to the system.
  let isFileMapping: Bool

  init(_ buffer: UnsafeBufferPointer<UInt8>, isFileMapping: Bool) {
    unsafe self.buffer = buffer
    self.isFileMapping = isFileMapping
  }

  /// A copy of a part that a shim points to; empty for none.
  static func copy(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }

  /// The same of allocated memory of a shim's own, which is of no more use then: page by page it goes back to the system, so that
  /// a large file is never there twice.
  static func take(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    guard let bytes = unsafe bytes else { return [] }
    let page = sysconf(Int32(_SC_PAGESIZE))
    let step = 256 * page
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { taken, initialized in
      // Up to the first whole page, then many at once.
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
