/// The credits in IPTC-IIM records (IPTC-IIM 4.2, chapters 3, 5 and 6): a list of data sets, each with its length.
struct IPTCRecords {
  let credits: Credits
  /// Whether all data sets are intact.
  let isWhole: Bool

  /// The number of the application record, which describes the image.
  private static let application = 2

  private enum DataSet {
    static let (byline, credit, copyrightNotice, caption) = (80, 110, 116, 120)
    static let (objectName, keywords, headline) = (5, 25, 105)
  }

  init(_ records: [UInt8]) {
    var credits = Credits()
    let isRead = Self.read(records, into: &credits)
    let isCut = credits.keywords.count > Credits.mostKeywords
    if isCut { credits.keywords.removeLast() }
    isWhole = isRead && !isCut
    self.credits = credits
  }

  private static func read(_ records: [UInt8], into credits: inout Credits) -> Bool {
    let span = records.span
    var place = 0
    // The record that declares UTF-8 is ignored. Text that is not valid UTF-8 is decoded as Latin-1, and real Latin-1
    // text is never valid UTF-8.
    while let mark = span.byte(at: place), mark == 0x1C {
      guard let record = span.byte(at: place + 1), let set = span.byte(at: place + 2),
        var length = span.uint16(at: place + 3)
      else { return false }
      place += 5
      // Very long data sets store the length of their length.
      if length & 0x8000 != 0 {
        guard length & 0x7FFF == 4, let long = span.uint32(at: place) else { return false }
        (length, place) = (long, place + 4)
      }
      guard length <= span.count - place else { return false }
      if Int(record) == application { take(Int(set), records[place..<place + length], into: &credits) }
      place += length
    }
    // Zeros may follow the last data set.
    return records[place...].allSatisfy { $0 == 0 }
  }

  private static func take(_ set: Int, _ bytes: ArraySlice<UInt8>, into credits: inout Credits) {
    let text: WritableKeyPath<Credits, String?>
    switch set {
    case DataSet.byline:
      if let text = CreditText.decoded(bytes) { credits.creators.append(text) }
      return
    case DataSet.keywords:
      // One more than the limit shows that some are lost.
      if credits.keywords.count <= Credits.mostKeywords, let text = CreditText.decoded(bytes) {
        credits.keywords.append(text)
      }
      return
    case DataSet.objectName: text = \.title
    case DataSet.headline: text = \.headline
    case DataSet.credit: text = \.creditLine
    case DataSet.copyrightNotice: text = \.copyrightNotice
    case DataSet.caption: text = \.description
    default: return
    }
    if credits[keyPath: text] == nil { credits[keyPath: text] = CreditText.decoded(bytes) }
  }
}
