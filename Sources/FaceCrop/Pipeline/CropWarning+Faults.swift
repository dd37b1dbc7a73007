extension CropWarning {
  /// Creates the warning about a problem that a decoder found.
  fileprivate init(_ fault: ImageFault) {
    self =
      switch fault {
      case .truncated(let intactRows, let rows, let coarse):
        .truncated(intactRows: intactRows, rows: rows, coarse: coarse)
      case .corrupt(let intactRows, let rows): .corrupt(intactRows: intactRows, rows: rows)
      case .irregular: .irregular
      case .unusableProfile: .profileDropped
      }
  }
}

extension Set<ImageFault> {
  /// The warnings about these problems, in a fixed order.
  var warnings: [CropWarning] { map { CropWarning($0) }.sorted { $0.description < $1.description } }
}
