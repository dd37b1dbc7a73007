/// The project's promises.
enum Limit {
  /// Seconds to start.
  static let startUp = 0.060

  /// Returns the bound of `facecrop crop`'s peak memory in bytes; none for progressive files, which keep coefficients.
  static func memory(of picture: Picture) -> Int? {
    if picture.isProgressive { return nil }
    return (picture.width * picture.height > 12_000_000 ? 96 : 64) << 20
  }

  /// Processor time of ten outputs relative to one output.
  static let tenOutputs = 1.5

  /// Returns the processor time of `plan` and `render` without detection, in full decodes.
  static func ratio(of picture: Picture) -> Double {
    picture.isProgressive ? 1.1 : 0.8
  }

  /// The walk for overview and index, in libjpeg-turbo's decodes to gray at 1/8.
  static let scan = 0.6

  /// Returns the walk and a first region of 1024 × 1024, in full decodes; nil except at 12 and 50 megapixels.
  static func firstRegion(of picture: Picture) -> Double? {
    switch picture.name {
    case Picture.baseline.name: 0.33
    case Picture.middle.name: 0.25
    default: nil
    }
  }

  /// A second region of the same session, in full decodes.
  static let secondRegion = 0.08
}
