/// A reader for an XMP packet's top-level properties in ``Credits``. It accepts all forms of RDF (ISO 16684-1, clause
/// 7): an attribute, a text, an address, a list, and a text in several languages.
///
/// Deeper properties belong to source images, and are skipped.
final class XMPReader: XMLHandler {
  private var credits = Credits()
  private var isComplete = false
  /// A list had more texts than are read.
  private var isCut = false
  private var open: [Element] = []
  /// The text of the open property or item.
  private var text = [UInt8]()
  /// The properties whose text in the default language is known.
  private var hasDefault: Set<XMPProperty> = []

  private enum Element {
    /// Outside RDF.
    case wrapper
    case rdf, description
    case property(XMPProperty, hasValue: Bool)
    case list(XMPProperty)
    case item(XMPProperty, isDefault: Bool)
    case other
  }

  /// Returns the credits, and whether the packet was readable to the end of its RDF. Throws only
  /// ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  static func read(_ packet: [UInt8], _ job: Job) throws(FaceCropError) -> (credits: Credits, isWhole: Bool) {
    if packet.isEmpty { return (Credits(), true) }
    let reader = XMPReader()
    let isRead = try reader.read(packet, job)
    // Some writers pad the packet with zeros, which are invalid in XML.
    return (reader.credits, (isRead || reader.isComplete) && !reader.isCut)
  }

  // MARK: Elements

  func begin(_ name: String, _ attributes: XMLAttributes) {
    switch open.last ?? .wrapper {
    case .wrapper: open.append(name == RDF.name("RDF") ? .rdf : .wrapper)
    case .rdf where name == RDF.name("Description"):
      open.append(.description)
      for (name, value) in attributes {
        if let property = XMPProperty(rawValue: name) { take(value, of: property, isDefault: false) }
      }
    case .description:
      guard let property = XMPProperty(rawValue: name) else { return open.append(.other) }
      let address = attributes.first { $0.name == RDF.name("resource") }?.value
      if let address { take(address, of: property, isDefault: false) }
      text = []
      open.append(.property(property, hasValue: address != nil))
    case .property(let property, _) where RDF.lists.contains(name):
      open[open.count - 1] = .property(property, hasValue: true)
      open.append(.list(property))
    case .list(let property) where name == RDF.name("li"):
      text = []
      let language = attributes.first { $0.name == "http://www.w3.org/XML/1998/namespace lang" }?.value
      open.append(.item(property, isDefault: language == "x-default"))
    default: open.append(.other)
    }
  }

  func end() {
    switch open.popLast() {
    case .property(let property, false): takeText(of: property, isDefault: false)
    case .item(let property, let isDefault): takeText(of: property, isDefault: isDefault)
    case .rdf: isComplete = true
    default: break
    }
  }

  func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    switch open.last {
    case .property(_, false), .item: unsafe text.append(contentsOf: bytes)
    default: break
    }
  }

  private func takeText(of property: XMPProperty, isDefault: Bool) {
    take(String(decoding: text, as: UTF8.self), of: property, isDefault: isDefault)
  }

  /// Stores the first value, or the one in the default language.
  private func take(_ value: String, of property: XMPProperty, isDefault: Bool) {
    guard let value = CreditText.cleaned(value) else { return }
    switch property.target {
    case .list(let list):
      let isFull = Credits.most(of: list).map { credits[keyPath: list].count >= $0 } ?? false
      if isFull { isCut = true } else { credits[keyPath: list].append(value) }
    case .rating:
      // Some write 4.0.
      guard credits.rating == nil, let number = Double(value), let rating = Int(exactly: number.rounded()),
        Credits.ratings.contains(rating)
      else { return }
      credits.rating = rating
    case .text(let text):
      guard credits[keyPath: text] == nil || isDefault && hasDefault.insert(property).inserted else { return }
      credits[keyPath: text] = value
      if isDefault { hasDefault.insert(property) }
    }
  }
}

/// The XMP properties that are read and written, by namespace and name (IPTC Photo Metadata Standard 2023.1).
enum XMPProperty: String, CaseIterable {
  case creator = "http://purl.org/dc/elements/1.1/ creator"
  case rights = "http://purl.org/dc/elements/1.1/ rights"
  case credit = "http://ns.adobe.com/photoshop/1.0/ Credit"
  case webStatement = "http://ns.adobe.com/xap/1.0/rights/ WebStatement"
  case usageTerms = "http://ns.adobe.com/xap/1.0/rights/ UsageTerms"
  case description = "http://purl.org/dc/elements/1.1/ description"
  case title = "http://purl.org/dc/elements/1.1/ title"
  case headline = "http://ns.adobe.com/photoshop/1.0/ Headline"
  case subject = "http://purl.org/dc/elements/1.1/ subject"
  case personInImage = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/ PersonInImage"
  case rating = "http://ns.adobe.com/xap/1.0/ Rating"

  /// The part of the credits that stores a property.
  enum Target {
    case text(WritableKeyPath<Credits, String?>)
    case list(WritableKeyPath<Credits, [String]>)
    case rating
  }

  /// The property of ``Credits``.
  var target: Target {
    switch self {
    case .creator: .list(\.creators)
    case .subject: .list(\.keywords)
    case .personInImage: .list(\.people)
    case .rights: .text(\.copyrightNotice)
    case .credit: .text(\.creditLine)
    case .webStatement: .text(\.webStatement)
    case .usageTerms: .text(\.usageTerms)
    case .description: .text(\.description)
    case .title: .text(\.title)
    case .headline: .text(\.headline)
    case .rating: .rating
    }
  }
}

/// The names of RDF elements.
enum RDF {
  static let namespace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  static let lists: Set = [name("Seq"), name("Bag"), name("Alt")]

  static func name(_ own: String) -> String { "\(namespace) \(own)" }

  /// Returns a text with references in place of some characters.
  static func escaped(_ text: String, by references: [Unicode.Scalar: String]) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      if let reference = references[scalar] { escaped += reference } else { escaped.unicodeScalars.append(scalar) }
    }
  }
}
