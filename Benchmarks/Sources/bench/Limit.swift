/// What the project promises.
enum Limit {
  /// Seconds to start.
  static let startUp = 0.060

  /// Bytes at the peak of `facecrop crop`; a progressive file's coefficients are all in memory, so it has no promise.
  static func memory(of picture: Picture) -> Int? {
    if picture.isProgressive { return nil }
    return (picture.width * picture.height > 12_000_000 ? 96 : 64) << 20
  }

  /// Processor time of `plan` and `render` apart from detection, in full decodes.
  static func ratio(of picture: Picture) -> Double {
    picture.isProgressive ? 1.1 : 0.8
  }
}
