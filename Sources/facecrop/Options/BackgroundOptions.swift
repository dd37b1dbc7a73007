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

  /// Refuses the color of a document that states none.
  func check(for standard: PhotoStandard?) throws(ValidationError) {
    guard backgroundFill == .required, standard?.document?.backgroundColor == nil else { return }
    throw ValidationError(
      "--background-fill required needs a document with a color (use --preset passport:us, or --background-fill white)")
  }

  /// Returns the background, and reads the file of an image within the limits; nil without one.
  func read(_ limits: Limits, for standard: PhotoStandard?) async throws(FileError) -> Background? {
    let fill: Background.Fill
    switch backgroundFill {
    case nil: return nil
    case .fill(let own)?: fill = own
    case .required?:
      guard let color = standard?.document?.backgroundColor else { return nil }
      fill = .color(color)
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
  /// The color of the preset's document.
  case required

  static func parsed(_ argument: String) -> BackgroundFillChoice? {
    if argument == "required" { return .required }
    if let fill = Background.Fill(argument) { return .fill(fill) }
    let isName = argument.contains(".") || argument.contains("/")
    return isName && !argument.hasPrefix("blur:") ? .file(argument) : nil
  }
}
