internal import CXMLShim

/// Who is told of an XML document's elements and texts, in their order. Names are a namespace and a name, with a space between them.
protocol XMLHandler: AnyObject {
  func begin(_ element: String, _ attributes: XMLAttributes)
  func end()
  func take(_ text: UnsafeBufferPointer<UInt8>)
}

extension XMLHandler {
  /// Reads a document, whose memory ``XMLMemory`` bounds.
  ///
  /// - Parameter document: of a byte at least.
  /// - Returns: whether it could be read to its end.
  /// - Throws: ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  func read(_ document: [UInt8], _ job: Job) throws(FaceCropError) -> Bool {
    let context = XMLContext(self)
    let status = unsafe document.withUnsafeBufferPointer { bytes in
      withExtendedLifetime(context) {
        unsafe fcxml_read(
          bytes.baseAddress!, bytes.count, job.cancellation.flag,
          FCXMLVisitor(
            context: Unmanaged.passUnretained(context).toOpaque(),
            begin: { context, name, attributes in
              unsafe XMLContext.handler(context).begin(String(cString: name), XMLAttributes(attributes))
            },
            end: { unsafe XMLContext.handler($0).end() },
            text: { context, bytes, count in
              unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
                unsafe XMLContext.handler(context).take(UnsafeBufferPointer(start: $0, count: count))
              }
            }))
      }
    }
    switch status {
    case .ok: return true
    case .malformed: return false
    case .outOfMemory: throw .outOfMemory
    case .cancelled: throw .cancelled
    }
  }
}

/// What reading XML takes.
enum XMLMemory {
  /// Returns the most bytes of memory for a document of that many bytes, with the texts that are kept of it; 0 for none.
  static func bytes(_ count: Int) -> Int {
    count == 0 ? 0 : Int(clamping: fcxml_memory(count)).addingClamped(count.multipliedClamped(by: 4))
  }
}

/// An element's attributes, one after the other, so that they are never in memory all at once. Valid while the handler is told of them.
@safe struct XMLAttributes: Sequence, IteratorProtocol {
  private var place: UnsafePointer<UnsafePointer<CChar>?>

  fileprivate init(_ attributes: UnsafePointer<UnsafePointer<CChar>?>) { unsafe place = attributes }

  mutating func next() -> (name: String, value: String)? {
    guard let name = unsafe place[0], let value = unsafe place[1] else { return nil }
    unsafe place += 2
    return unsafe (String(cString: name), String(cString: value))
  }
}

/// What the shim hands back with each call.
private final class XMLContext {
  let handler: any XMLHandler

  init(_ handler: any XMLHandler) { self.handler = handler }

  static func handler(_ context: UnsafeMutableRawPointer) -> any XMLHandler {
    unsafe Unmanaged<XMLContext>.fromOpaque(context).takeUnretainedValue().handler
  }
}
