/// A request: the faces to find, the composition of crop regions around them, and the outputs.
public struct CropRequest: Hashable, Sendable {
  /// The faces to find. Default `FaceSearch()`.
  public var search: FaceSearch
  /// The composition of crop regions around the faces. Default `Composition()`.
  public var composition: Composition
  /// The outputs. Default `CropOutput()`.
  public var output: CropOutput
  /// Whether to render the readable part of damaged or truncated images, with a ``CropWarning``, instead of throwing.
  /// Default false.
  public var allowsDamage: Bool

  /// Creates a request; the defaults give all faces in one region, at full resolution.
  public init(
    search: FaceSearch = FaceSearch(), composition: Composition = Composition(), output: CropOutput = CropOutput(),
    allowsDamage: Bool = false
  ) {
    self.search = search
    self.composition = composition
    self.output = output
    self.allowsDamage = allowsDamage
  }

  /// Whether the search may not end once the person of the crop is certain. A new background must know all other people.
  var needsAllFaces: Bool { search.needsAllFaces || output.background != nil }
}
