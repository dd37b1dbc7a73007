import SystemPackage

/// One input of a run, before it is opened.
struct BatchInput: Sendable {
  /// The path as it was named, or as its folder was and the way from there: the input's identity in manifest and plans.
  var path: FilePath
  /// Its place below the output folder: the folders that are kept, and its own name.
  var place: FilePath
  /// Whether it was named, and not found in a folder. What is found and does not call itself a picture may be none.
  var isNamed: Bool
  /// What is known already to keep it from being cropped.
  var obstacle: Outcome.Obstacle?
}
