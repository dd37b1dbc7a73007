internal import CBasics

extension FCStatus {
  /// Throws the error of a failed call that reads data, with the shim's message.
  func check(_ message: @autoclosure () -> String) throws(FaceCropError) {
    switch self {
    case .ok: return
    case .corrupt, .truncated: throw .corrupt(message())
    case .unsupported, .tooLarge, .tooManyScans, .tooMuchMemory, .failed: throw .unsupported(message())
    case .outOfMemory: throw .outOfMemory
    case .cancelled: throw .cancelled
    case .misuse: throw .invalidRequest(InvalidRequest(message()))
    }
  }

  /// Throws the error of a failed call that encodes an image.
  func checkEncoding(_ message: @autoclosure () -> String) throws(FaceCropError) {
    switch self {
    case .ok, .outOfMemory, .cancelled: try check("")
    default: throw .invalidRequest(InvalidRequest(message()))
    }
  }
}

/// An object of a shim, which lives as long as this one.
@safe class ShimObject {
  final let handle: OpaquePointer
  private let destroy: (OpaquePointer) -> Void
  private let text: ((OpaquePointer) -> UnsafePointer<CChar>)?

  /// Takes ownership of an object. `text` returns the message of its last failed call. Throws
  /// ``FaceCropError/outOfMemory`` without an object.
  init(
    _ made: OpaquePointer?, _ destroy: @escaping (OpaquePointer) -> Void,
    text: ((OpaquePointer) -> UnsafePointer<CChar>)? = nil
  ) throws(FaceCropError) {
    guard let made = unsafe made else { throw .outOfMemory }
    unsafe (handle, self.destroy, self.text) = (made, destroy, text)
  }

  deinit { unsafe destroy(handle) }

  /// The message of the last failed call.
  final var message: String { unsafe text.map { text in unsafe String(cString: text(handle)) } ?? "" }

  /// Throws the error of a failed call.
  func check(_ status: FCStatus) throws(FaceCropError) { try status.check(message) }
}

extension FCMessage {
  var string: String {
    var text = text
    return unsafe withUnsafeBytes(of: &text) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension FCBytes {
  init(_ buffer: UnsafeBufferPointer<UInt8>) {
    unsafe self.init(bytes: buffer.baseAddress, count: buffer.count)
  }
}

extension UnsafeBufferPointer<UInt8> {
  init(_ bytes: FCBytes) {
    unsafe self.init(start: bytes.bytes, count: bytes.bytes == nil ? 0 : bytes.count)
  }
}

extension FCAttachments {
  /// Calls `body` with metadata, which are valid during the call.
  static func with<Result>(
    exif: [UInt8]?, xmp: [UInt8]?, profile: [UInt8]?, _ body: (FCAttachments) -> Result
  ) -> Result {
    unsafe (exif ?? []).withUnsafeBufferPointer { exif in
      unsafe (xmp ?? []).withUnsafeBufferPointer { xmp in
        unsafe (profile ?? []).withUnsafeBufferPointer { profile in
          unsafe body(FCAttachments(exif: FCBytes(exif), xmp: FCBytes(xmp), profile: FCBytes(profile)))
        }
      }
    }
  }
}
