/// A problem that a decoder found in a file, and that did not prevent decoding.
enum ImageFault: Hashable, Sendable {
  /// The data ended early. Rows from `intactRows` on are missing. If `coarse`, they only lack detail.
  case truncated(intactRows: Int, rows: Int, coarse: Bool)
  /// Rows from `intactRows` on are damaged.
  case corrupt(intactRows: Int, rows: Int)
  /// The file has unexpected bytes that do not affect the image.
  case irregular
  /// The color profile is incomplete or for another color model.
  case unusableProfile
}

/// The faults of an image during one request. Each one is reported, or ends the request.
struct Faults {
  enum Damage {
    case truncated(coarse: Bool)
    case corrupt
  }

  let allowsDamage: Bool
  private let rows: Int
  /// The faults so far.
  private(set) var found: Set<ImageFault> = []

  init(allowsDamage: Bool, rows: Int) {
    self.allowsDamage = allowsDamage
    self.rows = rows
  }

  mutating func note(_ fault: ImageFault) {
    found.insert(fault)
  }

  /// Records damage below `intactRows` rows; tolerable damage is invisible. Throws
  /// ``FaceCropError/truncated(intactRows:rows:coarse:)`` or ``FaceCropError/corrupt(_:)``, unless it is tolerable or
  /// the request allows damage.
  mutating func judge(_ damage: Damage, intactRows: Int, isTolerable: Bool) throws(FaceCropError) {
    let isAllowed = isTolerable || allowsDamage
    switch damage {
    case .truncated(let coarse):
      guard isAllowed else { throw .truncated(intactRows: intactRows, rows: rows, coarse: coarse) }
      found.insert(.truncated(intactRows: intactRows, rows: rows, coarse: coarse))
    case .corrupt:
      guard isAllowed else { throw .corrupt("the image data are invalid below row \(intactRows) of \(rows)") }
      found.insert(.corrupt(intactRows: intactRows, rows: rows))
    }
  }
}
