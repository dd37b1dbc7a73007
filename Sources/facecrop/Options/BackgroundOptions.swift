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

  /// Replaces the choice `required` by the color of the preset's document.
  mutating func resolve(for preset: Preset?) throws(ValidationError) {
    guard backgroundFill == .required else { return }
    guard let color = preset?.standard?.document?.backgroundColor else {
      throw ValidationError(
        "--background-fill required needs a preset with a color (use --preset passport:us, or --background-fill white)")
    }
    backgroundFill = .fill(.color(color))
  }

  /// Returns the background, and reads the file of an image within the limits; nil without one.
  func read(_ limits: Limits) async throws(FileError) -> Background? {
    let fill: Background.Fill
    switch backgroundFill {
    case nil, .required?: return nil
    case .fill(let own)?: fill = own
    case .file(let name)?:
      do throws(FaceCropError) {
        let source = try Input.source(file ?? FilePath(name), limits: limits)
        fill = .image(try await FaceCropper(limits: limits).backgroundImage(from: source))
      } catch {
        throw FileError(name, error.sentence, kind: error.kind)
      }
    }
    return Background(fill, keepsPeople: keepPeople, failsIfUnsure: failIfUnsure)
  }
}

/// A background on the command line. Names of files have a period or a slash.
enum BackgroundFillChoice: Equatable {
  case fill(Background.Fill)
  case file(String)
  /// The color of the preset's document, until ``BackgroundOptions/resolve(for:)``.
  case required

  static func parsed(_ argument: String) -> BackgroundFillChoice? {
    if argument == "required" { return .required }
    if let fill = Background.Fill(argument) { return .fill(fill) }
    let isName = argument.contains(".") || argument.contains("/")
    return isName && !argument.hasPrefix("blur:") ? .file(argument) : nil
  }
}
