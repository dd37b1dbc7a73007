/// The authors and rights of an image, read from XMP, IPTC-IIM, and EXIF data. The names follow the IPTC Photo Metadata
/// Standard 2023.1.
public struct Credits: Hashable, Sendable {
  /// Creator: the authors of the image.
  public var creators: [String]
  /// Credit Line: the text to print beside the image.
  public var creditLine: String?
  /// Copyright Notice.
  public var copyrightNotice: String?
  /// Rights Usage Terms: the permitted uses.
  public var usageTerms: String?
  /// Web Statement of Rights: the address of a page with the rights.
  public var webStatement: String?
  /// Description: the subject of the image.
  public var description: String?

  /// Creates credits; empty by default.
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

  /// Whether all texts are missing.
  public var isEmpty: Bool { self == Credits() }
}

extension Credits {
  /// The properties with one text each.
  static var texts: [WritableKeyPath<Credits, String?>] {
    [\.creditLine, \.copyrightNotice, \.usageTerms, \.webStatement, \.description]
  }

  /// Copies missing texts from `others`.
  mutating func fill(from others: Credits) {
    if creators.isEmpty { creators = others.creators }
    for text in Self.texts where self[keyPath: text] == nil { self[keyPath: text] = others[keyPath: text] }
  }

  /// Returns the credits that `policy` allows in an output.
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
