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
}

extension Set<CropWarning> {
  /// The warnings in a fixed order.
  var inOrder: [CropWarning] { sorted { $0.description < $1.description } }
}
