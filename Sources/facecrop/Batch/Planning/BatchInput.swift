import FaceCrop
import SystemPackage

/// An input of a run, before it is opened.
struct BatchInput: Sendable {
  /// The path as named, or that of its named folder with the path inside it.
  var path: FilePath
  /// The path relative to the manifest's folder, which identifies the input in manifests and plans.
  var location: FilePath = ""
  /// The path relative to the output folder: the kept folders, and its own name.
  var place: FilePath
  /// Whether it was named, not found in a folder. A found file without an image's extension may be something else.
  var isNamed: Bool
  /// The known reason why it cannot be cropped.
  var obstacle: Outcome.Obstacle?

  /// The obstacle of a file in a folder with neither the extension nor the content of an image. Nil for possible images
  /// and unreadable files.
  var obstacleByBeginning: Outcome.Obstacle? {
    guard !isNamed, !callsItselfPicture, FileStatus(path)?.isRegular == true,
      case .some(.none) = try? Optional(ImageSource.file(path).format())
    else { return nil }
    return Self.noPicture
  }

  /// Whether the extension is that of an image. Documents do not count.
  private var callsItselfPicture: Bool {
    switch OutputName.format(of: path) {
    case nil, .unwritten("PDF"), .unwritten("SVG"): false
    default: true
    }
  }

  private static let noPicture = Outcome.Obstacle.skipped(
    "no-picture", "the file is not an image, by neither content nor name")

  /// Returns the obstacle. An unsupported file in a folder without an image's extension is skipped, not failed.
  func judged(_ obstacle: Outcome.Obstacle) -> Outcome.Obstacle {
    guard obstacle.reason.kind == FaceCropError.unsupported("").kind, !isNamed, !callsItselfPicture
    else { return obstacle }
    return Self.noPicture
  }
}
