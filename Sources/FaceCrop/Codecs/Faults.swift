/// What is wrong with a picture: noted, or the end of the request.
struct Faults {
  enum Damage {
    case truncated(coarse: Bool)
    case corrupt
  }

  private let allowsDamage: Bool
  /// Rows of the picture as stored.
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

  /// Notes damage below `intactRows` rows.
  ///
  /// - Parameter isTolerable: nothing can be seen of it.
  /// - Throws: ``FaceCropError/truncated(intactRows:rows:coarse:)`` or ``FaceCropError/corrupt(_:)``, unless it is tolerable or
  ///   the request allows it.
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
