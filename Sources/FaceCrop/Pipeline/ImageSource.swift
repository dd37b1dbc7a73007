internal import Glibc
public import SystemPackage

/// Where a picture's bytes come from.
public struct ImageSource: Sendable {
  private enum Storage: Sendable {
    case file(FilePath)
    case bytes([UInt8])
  }

  private let storage: Storage

  /// A file, opened anew for each request and mapped into memory while it lasts, so that it costs no memory of its own.
  /// Pipes and devices are read to their end, for as long as a call may work; see ``Limits/time``.
  ///
  /// The file may be replaced or deleted meanwhile; if another process cuts it short in place, the system ends this
  /// process with SIGBUS, as with any mapped file. Where that can happen, read it and use ``bytes(_:)``.
  public static func file(_ path: FilePath) -> ImageSource {
    ImageSource(storage: .file(path))
  }

  /// The same by a path in a string.
  public static func file(_ path: String) -> ImageSource { .file(FilePath(path)) }

  /// A whole file in memory. The bytes are not copied.
  public static func bytes(_ bytes: [UInt8]) -> ImageSource {
    ImageSource(storage: .bytes(bytes))
  }

  /// The path of a file; nil for bytes in memory.
  public var path: FilePath? {
    if case .file(let path) = storage { path } else { nil }
  }

  /// The source itself, or, if it is a pipe or a device, which can be read only once, its bytes in memory.
  ///
  /// - Throws: ``FaceCropError/unreadable(_:)`` or ``FaceCropError/overLimit(_:actual:allowed:)``.
  public func held(limits: Limits = Limits()) throws(FaceCropError) -> ImageSource {
    guard case .file(let path) = storage else { return self }
    let input = try InputFile(path)
    defer { input.close() }
    guard input.regularSize == nil else { return self }
    return .bytes(try input.read(within: ReadingTime(limits.time), limits: limits))
  }

  /// What its first bytes say it is; nil when that is nothing that is read.
  ///
  /// It takes these bytes away from a pipe: ask what ``held(limits:)`` gives.
  ///
  /// - Throws: ``FaceCropError/unreadable(_:)``, or, of a pipe that says nothing,
  ///   ``FaceCropError/overLimit(_:actual:allowed:)``.
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

  /// The bytes, for as long as `body` runs.
  ///
  /// - Parameter job: ends the waiting for a pipe's other end.
  /// - Throws: ``FaceCropError/unreadable(_:)``, ``FaceCropError/overLimit(_:actual:allowed:)`` and what `body` throws.
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
      // What says 0 may still have something to read, as the system's own files do.
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

/// An open input.
private struct InputFile {
  let descriptor: FileDescriptor
  /// Bytes of a regular file; nil for anything that has to be read to its end.
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

  /// The first bytes, enough to tell what they are.
  func start() throws(FaceCropError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: ImageKind.bytesNeeded)
    do {
      var time = ReadingTime(Limits().time)
      let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try time.read(descriptor, into: $0) }
      return Array(bytes[..<count])
    } catch let error as FaceCropError {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
  }

  /// Everything to the end. Stops early at what cannot be a picture, so that an endless device does not fill the memory.
  func read(within time: ReadingTime, limits: Limits) throws(FaceCropError) -> [UInt8] {
    do {
      return try descriptor.readToEnd(
        atMost: limits.fileBytes, within: time, after: ImageKind.bytesNeeded,
        goesOn: { ImageKind(of: $0.span).format != nil })
    } catch let error as FaceCropError {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
  }
}

/// A read-only private mapping, undone when this value goes.
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
