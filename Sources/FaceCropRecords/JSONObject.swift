/// A JSON object that is only written, so it needs no type of its own: `["file": name, "rotation": degrees]`. Members
/// without a value are left out.
public struct JSONObject: Encodable, ExpressibleByDictionaryLiteral, Sendable {
  public typealias Member = any Encodable & Sendable

  private let members: [(name: Name, value: Member)]
  /// A value whose members this object has, too.
  private var rest: Member?

  public init(dictionaryLiteral members: (String, Member?)...) {
    self.members = members.compactMap { name, value in value.map { (Name(stringValue: name), $0) } }
  }

  /// Returns the object with the members of another value, too.
  public func with(membersOf other: Member) -> JSONObject {
    var object = self
    object.rest = other
    return object
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (name, value) in members { try container.encode(value, forKey: name) }
    try rest?.encode(to: encoder)
  }

  /// The name of any member.
  public struct Name: CodingKey {
    public let stringValue: String
    public var intValue: Int? { nil }

    public init(stringValue: String) { self.stringValue = stringValue }
    public init?(intValue: Int) { return nil }
  }
}
