import FaceCrop
import FoundationEssentials
import SystemPackage

/// The facts about an input, beside its name, that names of outputs use.
struct InputFacts: Sendable, Equatable {
  /// The name of the folder that holds it.
  var folder: [UInt8] = []
  /// The day of the photo, as YYYY-MM-DD.
  var date: [UInt8] = []
  /// The names of its faces, from the first; nil if `--names` has none.
  var persons: [[UInt8]]?
  /// The values of the list's other columns by their titles.
  var columns: [String: [UInt8]] = [:]

  /// The text for a photo without a date.
  private static let undated = "undated"

  /// Collects the facts about all inputs to crop, by their locations; none if no name uses them. Only a date reads the
  /// headers of files. The template is nil for the standard names, each of which is that of `sizes` outputs. At most
  /// `most` outputs may have a name.
  static func all(
    of inputs: [BatchInput], for template: NameTemplate?, names: NameList?, sizes: Int, by cropper: FaceCropper,
    most: Int = NameList.mostOutputs
  ) async throws(FileError) -> [FilePath: InputFacts] {
    var (facts, outputs) = ([FilePath: InputFacts](), 0)
    guard template != nil || names != nil else { return facts }
    CutShortInput.fillIn()
    for input in inputs where input.obstacle == nil {
      var own = InputFacts()
      if template?.has(.folder) == true { own.folder = Self.folder(of: input.path) }
      if template?.has(.date) == true {
        // A pipe can be read only once, by the crop.
        let isFile = FileStatus(input.path)?.isRegular == true
        let info = isFile ? try? await cropper.info(of: .file(input.path)) : nil
        own.date = Array((info?.captureDay ?? undated).utf8)
      }
      (own.persons, own.columns) = (names?.persons(of: input.path), names?.columns(of: input.path) ?? [:])
      facts[input.location] = own
      // Each size has outputs of its own.
      outputs += (own.persons?.count ?? 0) * sizes
      if let names, outputs > most {
        throw FileError(
          names.name, "the names are for more than \(most) outputs (name fewer images in each run)", kind: "names")
      }
    }
    return facts
  }

  private static func folder(of path: FilePath) -> [UInt8] {
    let absolute = path.isRelative ? FilePath(FileManager.default.currentDirectoryPath).pushing(path) : path
    let folder = absolute.lexicallyNormalized().removingLastComponent()
    return folder.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? Array("root".utf8)
  }
}
