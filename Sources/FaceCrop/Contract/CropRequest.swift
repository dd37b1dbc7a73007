/// What is wanted of a picture: whom to look for, how regions are composed around them, and what comes out.
public struct CropRequest: Hashable, Sendable {
  /// Whom to look for. Default the defaults of ``FaceSearch``.
  public var search: FaceSearch
  /// How a region is composed around them. Default the defaults of ``Composition``.
  public var composition: Composition
  /// What comes out. Default the defaults of ``CropOutput``.
  public var output: CropOutput
  /// Whether damaged or truncated pictures are rendered as far as they can be read, with a ``CropWarning``, instead of
  /// failing. Default false.
  public var allowsDamage: Bool

  /// By default all faces in one region, as large as it is in the picture.
  public init(
    search: FaceSearch = FaceSearch(), composition: Composition = Composition(), output: CropOutput = CropOutput(),
    allowsDamage: Bool = false
  ) {
    self.search = search
    self.composition = composition
    self.output = output
    self.allowsDamage = allowsDamage
  }
}
