// Earlier names, which stay for one version.

extension CropOutput {
  /// The earlier name of ``allowsUpscaling``.
  @available(*, deprecated, renamed: "allowsUpscaling")
  public var enlarges: Bool {
    get { allowsUpscaling }
    set { allowsUpscaling = newValue }
  }
}

extension Composition {
  /// The earlier name of ``alignsEyes``.
  @available(*, deprecated, renamed: "alignsEyes")
  public var levelsEyes: Bool {
    get { alignsEyes }
    set { alignsEyes = newValue }
  }
}

extension Limits {
  /// The earlier name of ``imageBytes``.
  @available(*, deprecated, renamed: "imageBytes")
  public var pictureBytes: Int {
    get { imageBytes }
    set { imageBytes = newValue }
  }
}

extension Head.Edge {
  /// The earlier name of ``position``.
  @available(*, deprecated, renamed: "position")
  public var place: Double {
    get { position }
    set { position = newValue }
  }
}

extension NoFacePolicy {
  /// The earlier name of ``bestGuess``.
  @available(*, deprecated, renamed: "bestGuess")
  public static var maybe: NoFacePolicy { .bestGuess }
}

extension FaceHeight {
  /// The earlier name of ``fraction(_:)``.
  @available(*, deprecated, renamed: "fraction(_:)")
  public static func part(_ fraction: Double) -> FaceHeight { .fraction(fraction) }
}

extension CropProgress.Phase {
  /// The earlier name of ``overview``.
  @available(*, deprecated, renamed: "overview")
  public static var look: CropProgress.Phase { .overview }
}

/// The earlier name of ``AlignmentObstacle``.
@available(*, deprecated, renamed: "AlignmentObstacle")
public typealias LevelingObstacle = AlignmentObstacle

extension CropResult {
  /// The earlier name of ``detectionPath``.
  @available(*, deprecated, renamed: "detectionPath")
  public var lookPath: DecodePath? { detectionPath }
}
