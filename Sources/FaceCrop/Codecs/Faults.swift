internal import CBasics

/// The faults of an image during one request. Each one is reported, or ends the request.
struct Faults {
  enum Damage {
    case truncated(coarse: Bool)
    case corrupt
  }

  let allowsDamage: Bool
  let rows: Int
  /// The faults so far.
  private(set) var found: Set<CropWarning> = []

  mutating func note(_ fault: CropWarning) {
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

  /// Judges a decoder's damage in some rows of the image, if there is any. A missing end behind the last of them is
  /// tolerable, unless the file goes on there. Without `isInPasses`, no pass over the rows is coarse.
  mutating func judge(
    _ damage: FCDamage, in part: Range<Int>, isInPasses: Bool = false, goesOn: Bool = false
  ) throws(FaceCropError) {
    if damage.kind == .none { return }
    let isWhole = !goesOn && Int(damage.intactRows) == part.count
    try judge(
      damage.kind == .truncated ? .truncated(coarse: isInPasses && damage.pass > 1 && !isWhole) : .corrupt,
      intactRows: isWhole ? rows : min(part.lowerBound + Int(damage.intactRows), rows),
      isTolerable: damage.kind == .truncated && isWhole)
  }
}

extension Set<CropWarning> {
  /// The warnings in a fixed order.
  var inOrder: [CropWarning] { sorted { $0.description < $1.description } }
}
