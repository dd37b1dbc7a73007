internal import CXMLShim

/// Who is told of an XML document's elements and texts, in their order. Names are a namespace and a name, with a space between them.
protocol XMLHandler: AnyObject {
  func begin(_ element: String, _ attributes: [(name: String, value: String)])
  func end()
  func take(_ text: UnsafeBufferPointer<UInt8>)
}

extension XMLHandler {
  /// - Parameter document: of a byte at least.
  /// - Returns: whether it could be read to its end.
  func read(_ document: [UInt8]) -> Bool {
    let context = XMLContext(self)
    return unsafe document.withUnsafeBufferPointer { bytes in
      withExtendedLifetime(context) {
        unsafe fcxml_read(
          bytes.baseAddress!, bytes.count,
          FCXMLVisitor(
            context: Unmanaged.passUnretained(context).toOpaque(),
            begin: { context, name, attributes in
              unsafe XMLContext.handler(context).begin(String(cString: name), XMLContext.list(attributes))
            },
            end: { unsafe XMLContext.handler($0).end() },
            text: { context, bytes, count in
              unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
                unsafe XMLContext.handler(context).take(UnsafeBufferPointer(start: $0, count: count))
              }
            }))
      }
    } == .ok
  }
}

/// What the shim hands back with each call.
private final class XMLContext {
  let handler: any XMLHandler

  init(_ handler: any XMLHandler) { self.handler = handler }

  static func handler(_ context: UnsafeMutableRawPointer) -> any XMLHandler {
    unsafe Unmanaged<XMLContext>.fromOpaque(context).takeUnretainedValue().handler
  }

  static func list(_ attributes: UnsafePointer<UnsafePointer<CChar>?>) -> [(name: String, value: String)] {
    var list: [(String, String)] = []
    var place = unsafe attributes
    while let name = unsafe place[0], let value = unsafe place[1] {
      unsafe list.append((String(cString: name), String(cString: value)))
      unsafe place += 2
    }
    return list
  }
}
