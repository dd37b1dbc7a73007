import ArgumentParser
import FaceCrop
import SystemPackage

/// The background behind the people, for all commands that write crops.
struct BackgroundOptions: ParsableArguments {
  @Option(.of("background-fill"), parse: BackgroundFillChoice.parsed) var backgroundFill: BackgroundFillChoice?
  @Flag(.of("keep-people")) var keepPeople = false
  @Flag(.of("fail-if-unsure")) var failIfUnsure = false

  var isTransparent: Bool { backgroundFill == .fill(.transparent) }

  /// The image file, with its exact bytes; nil for other backgrounds.
  var file: FilePath? {
    guard case .file(let name)? = backgroundFill else { return nil }
    return GivenOptions.launch.path(name, of: "background-fill")
  }

  /// Returns the background, and reads the file of an image within the limits; nil without one.
  func read(_ limits: Limits) async throws(FileError) -> Background? {
    switch backgroundFill {
    case nil: return nil
    case .fill(let fill)?:
      return Background(fill, keepsPeople: keepPeople, failsIfUnsure: failIfUnsure)
    case .file(let name)?:
      do throws(FaceCropError) {
        let image = try await FaceCropper(limits: limits).backgroundImage(
          from: Input.source(file ?? FilePath(name), limits: limits))
        return Background(.image(image), keepsPeople: keepPeople, failsIfUnsure: failIfUnsure)
      } catch {
        throw FileError(name, error.sentence, kind: error.kind)
      }
    }
  }
}

/// A background on the command line. Names of files have a period or a slash.
enum BackgroundFillChoice: Equatable {
  case fill(Background.Fill)
  case file(String)

  static func parsed(_ argument: String) -> BackgroundFillChoice? {
    if let fill = Background.Fill(argument) { return .fill(fill) }
    let isName = argument.contains(".") || argument.contains("/")
    return isName && !argument.hasPrefix("blur:") ? .file(argument) : nil
  }
}
