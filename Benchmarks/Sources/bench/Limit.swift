/// What the project promises.
enum Limit {
  /// Seconds to start.
  static let startUp = 0.060

  /// Bytes at the peak of `facecrop crop`; a progressive file's coefficients are all in memory, so it has no promise.
  static func memory(of picture: Picture) -> Int? {
    if picture.isProgressive { return nil }
    return (picture.width * picture.height > 12_000_000 ? 96 : 64) << 20
  }

  /// Processor time of ten outputs, in one output's.
  static let tenOutputs = 1.5

  /// Processor time of `plan` and `render` apart from detection, in full decodes.
  static func ratio(of picture: Picture) -> Double {
    picture.isProgressive ? 1.1 : 0.8
  }

  /// The walk for overview and index, in libjpeg-turbo's decodes to gray at 1/8.
  static let scan = 0.6

  /// The same and a first region of 1024 × 1024, in full decodes. Asked at 12 and 50 megapixels only.
  static func firstRegion(of picture: Picture) -> Double? {
    switch picture.name {
    case Picture.baseline.name: 0.33
    case Picture.middle.name: 0.25
    default: nil
    }
  }

  /// A second such region of the same session, in full decodes.
  static let secondRegion = 0.08
}
