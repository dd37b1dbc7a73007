/// The faults of an image. Each one is a warning, or ends the request.
struct Faults {
  enum Damage {
    case truncated(coarse: Bool)
    case corrupt
  }

  private let allowsDamage: Bool
  private let rows: Int
  private var warnings: Set<CropWarning> = []

  init(allowsDamage: Bool, rows: Int) {
    self.allowsDamage = allowsDamage
    self.rows = rows
  }

  var sorted: [CropWarning] { warnings.sorted { $0.description < $1.description } }

  mutating func note(_ warning: CropWarning) {
    warnings.insert(warning)
  }

  /// Records damage below `intactRows` rows; tolerable damage is invisible. Throws
  /// ``FaceCropError/truncated(intactRows:rows:coarse:)`` or ``FaceCropError/corrupt(_:)``, unless it is tolerable or
  /// the request allows damage.
  mutating func judge(_ damage: Damage, intactRows: Int, isTolerable: Bool) throws(FaceCropError) {
    let isAllowed = isTolerable || allowsDamage
    switch damage {
    case .truncated(let coarse):
      guard isAllowed else { throw .truncated(intactRows: intactRows, rows: rows, coarse: coarse) }
      warnings.insert(.truncated(intactRows: intactRows, rows: rows, coarse: coarse))
    case .corrupt:
      guard isAllowed else { throw .corrupt("the image data are invalid below row \(intactRows) of \(rows)") }
      warnings.insert(.corrupt(intactRows: intactRows, rows: rows))
    }
  }
}
