/// The authors, rights, and subjects of an image, read from XMP, IPTC-IIM, and EXIF data. The names follow the IPTC Photo
/// Metadata Standard 2023.1.
public struct Credits: Hashable, Sendable {
  /// Creator: the authors of the image.
  public var creators: [String] = []
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
  /// Title: a short name of the picture.
  public var title: String?
  /// The headline: a sentence about the content.
  public var headline: String?
  /// Keywords, at most ``mostKeywords``.
  public var keywords: [String] = []
  /// Person Shown in the Image: the names of people, at most ``mostPeople``.
  public var people: [String] = []
  /// Rating: 1 to 5 stars, or -1 for a rejected image; nil without a rating.
  public var rating: Int?

  /// The most keywords that are read.
  public static let mostKeywords = 500
  /// The most names of people that are read.
  public static let mostPeople = 200

  /// Whether all texts are missing.
  public var isEmpty: Bool { self == Credits() }

  /// The properties with one text each.
  static var texts: [WritableKeyPath<Credits, String?>] {
    [\.creditLine, \.copyrightNotice, \.usageTerms, \.webStatement, \.description, \.title, \.headline]
  }

  /// Those that have several texts each.
  static var lists: [WritableKeyPath<Credits, [String]>] { [\.creators, \.keywords, \.people] }

  /// The upper bound of texts in a list; nil if only the file's size bounds them.
  static func most(of list: WritableKeyPath<Credits, [String]>) -> Int? {
    list == \.keywords ? mostKeywords : list == \.people ? mostPeople : nil
  }

  /// The ratings of XMP without 0, which is no rating.
  static let ratings: Set = [-1, 1, 2, 3, 4, 5]

  /// Copies missing texts from `others`.
  mutating func fill(from others: Credits) {
    for list in Self.lists where self[keyPath: list].isEmpty { self[keyPath: list] = others[keyPath: list] }
    if rating == nil { rating = others.rating }
    for text in Self.texts where self[keyPath: text] == nil { self[keyPath: text] = others[keyPath: text] }
  }

  /// Returns the credits that `policy` allows in an output.
  func kept(by policy: MetadataPolicy) -> Credits {
    switch policy {
    case .strip: return Credits()
    case .copyright:
      return Credits(
        creators: creators, creditLine: creditLine, copyrightNotice: copyrightNotice, usageTerms: usageTerms,
        webStatement: webStatement)
    case .keep: return self
    }
  }
}
