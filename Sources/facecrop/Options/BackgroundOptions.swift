import ArgumentParser
import FaceCrop
import SystemPackage

/// The background behind the people, for all commands that write crops.
struct BackgroundOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Replace the background: white, a color, blur, blur:N (in percent), transparent, or an image file.",
      valueName: "fill"),
    completion: .file())
  var backgroundFill: BackgroundFillChoice?

  @Flag(help: "Keep people beside the cropped ones when the background is replaced.")
  var keepPeople = false

  @Flag(help: "Fail, with status 2 (in a batch 1), if a person may not be cut out exactly.")
  var failIfUnsure = false

  func validate() throws {
    guard backgroundFill == nil, keepPeople || failIfUnsure else { return }
    throw ValidationError(
      "\(keepPeople ? "--keep-people" : "--fail-if-unsure") needs a new background (add --background-fill white)")
  }

  var isTransparent: Bool { backgroundFill == .fill(.transparent) }

  /// The image file, with its exact bytes; nil for other backgrounds.
  var file: FilePath? {
    guard case .file(let name)? = backgroundFill else { return nil }
    var raw = RawArguments()
    return raw.path(name, of: ["--background-fill"])
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
enum BackgroundFillChoice: Equatable, ExpressibleByArgument {
  case fill(Background.Fill)
  case file(String)

  init?(argument: String) {
    if let fill = Background.Fill(argument) {
      self = .fill(fill)
    } else if argument.contains(".") || argument.contains("/"), !argument.hasPrefix("blur:") {
      self = .file(argument)
    } else {
      return nil
    }
  }
}
