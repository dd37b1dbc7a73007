/// Who made a picture and whose it is, by the names of the IPTC Photo Metadata Standard 2023.1: what pictures say in XMP, in IPTC-IIM
/// and in EXIF data.
public struct Credits: Hashable, Sendable {
  /// Creator: those who made the picture.
  public var creators: [String]
  /// Credit Line: whom to name beside it.
  public var creditLine: String?
  /// Copyright Notice.
  public var copyrightNotice: String?
  /// Rights Usage Terms: what may be done with it.
  public var usageTerms: String?
  /// Web Statement of Rights: the address of a page that says so.
  public var webStatement: String?
  /// Description: what it shows.
  public var description: String?

  /// By default credits that say nothing.
  public init(
    creators: [String] = [], creditLine: String? = nil, copyrightNotice: String? = nil, usageTerms: String? = nil,
    webStatement: String? = nil, description: String? = nil
  ) {
    self.creators = creators
    self.creditLine = creditLine
    self.copyrightNotice = copyrightNotice
    self.usageTerms = usageTerms
    self.webStatement = webStatement
    self.description = description
  }

  /// Whether they say nothing.
  public var isEmpty: Bool { self == Credits() }
}

extension Credits {
  /// Those that have one text each.
  static var texts: [WritableKeyPath<Credits, String?>] {
    [\.creditLine, \.copyrightNotice, \.usageTerms, \.webStatement, \.description]
  }

  /// Takes what is missing from others.
  mutating func fill(from others: Credits) {
    if creators.isEmpty { creators = others.creators }
    for text in Self.texts where self[keyPath: text] == nil { self[keyPath: text] = others[keyPath: text] }
  }

  /// What of them goes into an output.
  func kept(by policy: MetadataPolicy) -> Credits {
    switch policy {
    case .strip: return Credits()
    case .copyright:
      var credits = self
      credits.description = nil
      return credits
    case .keep: return self
    }
  }
}
