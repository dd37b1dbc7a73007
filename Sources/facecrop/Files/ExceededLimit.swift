import FaceCrop

/// A limit that an image exceeded. A run with a higher limit retries the image.
struct ExceededLimit: Codable, Hashable, Sendable {
  /// The limit's name; see `Limits.Kind`.
  var name: String
  /// The value of the limit in its unit.
  var allowed: Int

  /// Returns the limit of an error; nil for another error.
  init?(_ error: FaceCropError) {
    guard case .overLimit(let kind, _, let allowed) = error else { return nil }
    (name, self.allowed) = (kind.rawValue, allowed)
  }

  /// Returns whether other limits allow more.
  func isRaised(in limits: Limits) -> Bool { Limits.Kind(rawValue: name).map { limits.allowed($0) > allowed } ?? true }
}
