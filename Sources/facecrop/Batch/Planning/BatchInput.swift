import FaceCrop
import SystemPackage

/// One input of a run, before it is opened.
struct BatchInput: Sendable {
  /// The path as it was named, or as its folder was and the way from there.
  var path: FilePath
  /// Where it is, from the manifest's folder: the input's identity in manifest and plans.
  var location: FilePath = ""
  /// Its place below the output folder: the folders that are kept, and its own name.
  var place: FilePath
  /// Whether it was named, and not found in a folder. What is found and does not call itself a picture may be none.
  var isNamed: Bool
  /// What is known already to keep it from being cropped.
  var obstacle: Outcome.Obstacle?

  /// What a header that cannot be read keeps it from.
  func obstacle(_ error: FaceCropError) -> Outcome.Obstacle { judged(Outcome.Obstacle(error)) }

  /// What is found in a folder, does not call itself a picture and does not begin like one is none, however large it is; nil
  /// for what may be one, and for what cannot be read.
  var obstacleByBeginning: Outcome.Obstacle? {
    guard !isNamed, !callsItselfPicture, FileStatus(path)?.isRegular == true,
      case .some(.none) = try? Optional(ImageSource.file(path).format())
    else { return nil }
    return Self.noPicture
  }

  /// Documents are no photographs, whatever is in them.
  private var callsItselfPicture: Bool {
    switch OutputName.format(of: path) {
    case nil, .unwritten("PDF"), .unwritten("SVG"): false
    default: true
    }
  }

  private static let noPicture = Outcome.Obstacle.skipped(
    "no-picture", "the file is not an image, by neither content nor name")

  /// What lies in a folder and does not call itself a picture is no failure if it is none that is read.
  func judged(_ obstacle: Outcome.Obstacle) -> Outcome.Obstacle {
    guard obstacle.reason.kind == FaceCropError.unsupported("").kind, !isNamed, !callsItselfPicture
    else { return obstacle }
    return Self.noPicture
  }
}
