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

  /// The text for a photo without a date.
  private static let undated = "undated"

  init() {}

  /// Collects the facts that a template uses. Only a date reads the file's header.
  ///
  /// - Parameters:
  ///   - input: An input to crop.
  ///   - template: The template; nil for the standard names.
  ///   - names: The names; nil without `--names`.
  init(of input: BatchInput, for template: NameTemplate?, names: NameList?, by cropper: FaceCropper) async {
    if template?.has(.folder) == true { folder = Self.folder(of: input.path) }
    if template?.has(.date) == true {
      // A pipe can be read only once, by the crop.
      let isFile = FileStatus(input.path)?.isRegular == true
      let info = isFile ? try? await cropper.info(of: .file(input.path)) : nil
      date = Array((info?.captureDay ?? Self.undated).utf8)
    }
    persons = names?.persons(of: input.path)
  }

  private static func folder(of path: FilePath) -> [UInt8] {
    let absolute = path.isRelative ? FilePath(FileManager.default.currentDirectoryPath).pushing(path) : path
    let folder = absolute.lexicallyNormalized().removingLastComponent()
    return folder.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? Array("root".utf8)
  }
}
