internal import Glibc
public import SystemPackage

/// The source of an image's bytes.
public struct ImageSource: Sendable {
  private enum Storage: Sendable {
    case file(FilePath)
    case bytes([UInt8])
  }

  private let storage: Storage
  /// The page of a TIFF file to read, from 1. Nil reads the first page that is no reduced image. Other formats have one
  /// page. Default nil.
  public var page: Int? = nil

  /// Returns a source for a file, which each call opens and maps into memory. The mapping takes no memory of its own.
  ///
  /// Pipes and devices are read to their end, within ``Limits/time``.
  ///
  /// You may replace or delete the file at any time. If another process truncates it in place, the system ends this
  /// process with SIGBUS, as for any mapped file. In that case read the file yourself, and use ``bytes(_:)``.
  public static func file(_ path: FilePath) -> ImageSource {
    ImageSource(storage: .file(path))
  }

  /// Returns a source for the file at a path; see ``file(_:)-(FilePath)``.
  public static func file(_ path: String) -> ImageSource { .file(FilePath(path)) }

  /// Returns a source for a whole file in memory, which is not copied.
  public static func bytes(_ bytes: [UInt8]) -> ImageSource {
    ImageSource(storage: .bytes(bytes))
  }

  /// The path of a file; nil for bytes in memory.
  public var path: FilePath? {
    if case .file(let path) = storage { path } else { nil }
  }

  /// The number of bytes; nil for a pipe, a device, or a file that cannot be read.
  var byteCount: Int? {
    switch storage {
    case .bytes(let bytes): return bytes.count
    case .file(let path):
      guard let input = try? InputFile(path) else { return nil }
      defer { input.close() }
      return input.regularSize
    }
  }

  /// Reads a pipe or device into memory, because it can be read only once. Other sources are returned unchanged. If the
  /// data are no image, the result has only their start, which every call refuses.
  ///
  /// - Parameter limits: The limits for size and time. Default `Limits()`.
  /// - Throws: ``FaceCropError/unreadable(_:)`` or ``FaceCropError/overLimit(_:actual:allowed:)``.
  public func held(limits: Limits = Limits()) throws(FaceCropError) -> ImageSource {
    guard case .file(let path) = storage else { return self }
    let input = try InputFile(path)
    defer { input.close() }
    guard input.regularSize == nil else { return self }
    let bytes = try input.read(within: ReadingTime(limits.time), limits: limits)
    return ImageSource(storage: .bytes(bytes), page: page)
  }

  /// Detects the format from the first bytes; nil if it is unknown.
  ///
  /// This consumes bytes of a pipe, so call ``held(limits:)`` first.
  ///
  /// - Throws: ``FaceCropError/unreadable(_:)``, or ``FaceCropError/overLimit(_:actual:allowed:)`` for a silent pipe.
  public func format() throws(FaceCropError) -> ImageFormat? {
    switch storage {
    case .bytes(let bytes): return ImageKind(of: bytes.span).format
    case .file(let path):
      let input = try InputFile(path)
      defer { input.close() }
      let start = try input.start()
      return ImageKind(of: start.span).format
    }
  }

  /// Calls `body` with the bytes. Cancellation of `job` ends the waiting for a pipe. Throws
  /// ``FaceCropError/unreadable(_:)``, ``FaceCropError/overLimit(_:actual:allowed:)`` and the errors of `body`.
  func withBytes<Result>(
    limits: Limits, job: Job? = nil,
    _ body: (_ bytes: Span<UInt8>, _ isFileMapping: Bool) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    switch storage {
    case .bytes(let bytes):
      try limits.check(.fileBytes, bytes.count)
      return try body(bytes.span, false)
    case .file(let path):
      let input = try InputFile(path)
      defer { input.close() }
      // Files in /proc report a size of 0 but have content.
      if let size = input.regularSize, size > 0 {
        try limits.check(.fileBytes, size)
        let mapping = try FileMapping(input.descriptor, size: size)
        return try mapping.withSpan { (span) throws(FaceCropError) in try body(span, true) }
      }
      let bytes = try input.read(within: ReadingTime(limits.time, job: job), limits: limits)
      return try body(bytes.span, false)
    }
  }
}

private struct InputFile {
  let descriptor: FileDescriptor
  /// The size of a regular file in bytes; nil for other files, which are read to their end.
  let regularSize: Int?

  init(_ path: FilePath) throws(FaceCropError) {
    var status = stat()
    do {
      descriptor = try FileDescriptor.openAtOnce(path)
      let isRegular = unsafe fstat(descriptor.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      regularSize = isRegular ? Int(status.st_size) : nil
    } catch {
      throw .unreadable("\(error)")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      close()
      throw .unreadable("it is a folder")
    }
  }

  func close() {
    try? descriptor.close()
  }

  /// Reads the first bytes, enough to detect the format.
  func start() throws(FaceCropError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: ImageKind.bytesNeeded)
    do {
      var time = ReadingTime(Limits().time)
      let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try time.read(descriptor, into: $0) }
      return Array(bytes[..<count])
    } catch {
      throw error as? FaceCropError ?? .unreadable("\(error)")
    }
  }

  /// Reads to the end. It stops at data that is no image, so that an endless device does not fill the memory.
  func read(within time: ReadingTime, limits: Limits) throws(FaceCropError) -> [UInt8] {
    do {
      return try descriptor.readToEnd(
        atMost: limits.fileBytes, within: time, after: ImageKind.bytesNeeded,
        goesOn: { ImageKind(of: $0.span).format != nil })
    } catch {
      throw error as? FaceCropError ?? .unreadable("\(error)")
    }
  }
}

/// A read-only private mapping, which ends with this value.
@safe private struct FileMapping: ~Copyable {
  private let bytes: UnsafeRawBufferPointer

  init(_ descriptor: FileDescriptor, size: Int) throws(FaceCropError) {
    guard let base = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor.rawValue, 0),
      unsafe base != MAP_FAILED
    else { throw .unreadable("\(Errno(rawValue: errno))") }
    unsafe bytes = UnsafeRawBufferPointer(start: base, count: size)
  }

  deinit {
    unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }

  func withSpan<Result>(_ body: (Span<UInt8>) throws(FaceCropError) -> Result) throws(FaceCropError) -> Result {
    try body(unsafe Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
  }
}

extension FaceCropError {
  /// Returns the ``description`` behind the name of the file, for a log: `portrait.jpg: no face was found`. An error does not know the file
  /// itself, since the same call takes bytes in memory.
  ///
  /// - Parameter source: The source of the crop. Bytes in memory are called `image`.
  public func message(for source: ImageSource) -> String { "\(source.path?.string ?? "image"): \(self)" }
}
