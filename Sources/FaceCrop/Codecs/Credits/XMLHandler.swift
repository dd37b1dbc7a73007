internal import CXMLShim

/// A handler for an XML document's elements and texts, in order. Names consist of a namespace, a space, and a name.
protocol XMLHandler: AnyObject {
  func begin(_ element: String, _ attributes: XMLAttributes)
  func end()
  func take(_ text: UnsafeBufferPointer<UInt8>)
}

extension XMLHandler {
  /// Reads a document of at least one byte within ``XMLMemory``, and returns whether it was readable to its end. Throws
  /// only ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  func read(_ document: [UInt8], _ job: Job) throws(FaceCropError) -> Bool {
    let context = XMLContext(self)
    let status = withExtendedLifetime(context) {
      unsafe fcxml_read(
        document, document.count, job.cancellation.flag,
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
    if status == .corrupt { return false }
    try status.check("")
    return true
  }
}

/// The memory for reading XML.
enum XMLMemory {
  /// Returns an upper bound of the bytes for a document of `count` bytes, with the texts that are stored; 0 for none.
  static func bytes(_ count: Int) -> Int {
    count == 0 ? 0 : Int(clamping: fcxml_memory(count)).addingClamped(count.multipliedClamped(by: 4))
  }
}

/// The attributes of an element, one by one, so that they are never all in memory. Valid during the handler's call.
@safe struct XMLAttributes: Sequence, IteratorProtocol {
  private var place: UnsafePointer<UnsafePointer<CChar>?>

  fileprivate init(_ attributes: UnsafePointer<UnsafePointer<CChar>?>) { unsafe place = attributes }

  mutating func next() -> (name: String, value: String)? {
    guard let name = unsafe place[0], let value = unsafe place[1] else { return nil }
    unsafe place += 2
    return unsafe (String(cString: name), String(cString: value))
  }
}

/// The context that the shim passes with each call.
private final class XMLContext {
  let handler: any XMLHandler

  init(_ handler: any XMLHandler) { self.handler = handler }

  static func handler(_ context: UnsafeMutableRawPointer) -> any XMLHandler {
    unsafe Unmanaged<XMLContext>.fromOpaque(context).takeUnretainedValue().handler
  }
}
