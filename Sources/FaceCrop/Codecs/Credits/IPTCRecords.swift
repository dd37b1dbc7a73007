/// What IPTC-IIM's records say of who made a picture (IPTC-IIM 4.2, chapters 3, 5 and 6): a list of data sets, each with its length.
struct IPTCRecords {
  let credits: Credits
  /// Whether all data sets are where they should be.
  let isWhole: Bool

  /// The record of what is said of the picture.
  private static let application = 2

  private enum DataSet {
    static let (byline, credit, copyrightNotice, caption) = (80, 110, 116, 120)
  }

  init(_ records: [UInt8]) {
    var credits = Credits()
    isWhole = Self.read(records, into: &credits)
    self.credits = credits
  }

  private static func read(_ records: [UInt8], into credits: inout Credits) -> Bool {
    let span = records.span
    var place = 0
    // What says that texts are UTF-8 is not asked for: what is not UTF-8 is taken for Latin-1, and no Latin-1 text that is one is UTF-8.
    while let mark = span.byte(at: place), mark == 0x1C {
      guard let record = span.byte(at: place + 1), let set = span.byte(at: place + 2),
        var length = span.uint16(at: place + 3)
      else { return false }
      place += 5
      // The length of the length, of very long ones.
      if length & 0x8000 != 0 {
        guard length & 0x7FFF == 4, let long = span.uint32(at: place) else { return false }
        (length, place) = (long, place + 4)
      }
      guard length <= span.count - place else { return false }
      if Int(record) == application { take(Int(set), records[place..<place + length], into: &credits) }
      place += length
    }
    // Behind the last there may be zeros.
    return records[place...].allSatisfy { $0 == 0 }
  }

  private static func take(_ set: Int, _ bytes: ArraySlice<UInt8>, into credits: inout Credits) {
    let text: WritableKeyPath<Credits, String?>
    switch set {
    case DataSet.byline:
      if let text = CreditText.decoded(bytes) { credits.creators.append(text) }
      return
    case DataSet.credit: text = \.creditLine
    case DataSet.copyrightNotice: text = \.copyrightNotice
    case DataSet.caption: text = \.description
    default: return
    }
    if credits[keyPath: text] == nil { credits[keyPath: text] = CreditText.decoded(bytes) }
  }
}
