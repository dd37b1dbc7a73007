import FaceCrop
import FoundationEssentials
import SystemPackage

/// What is known of an input beside its name, for names of outputs.
struct InputFacts: Sendable, Equatable {
  /// The name of the folder that holds it.
  var folder: [UInt8] = []
  /// The day on which the photo was taken, as YYYY-MM-DD.
  var date: [UInt8] = []
  /// The names of its faces, from the first; nil where --names has none.
  var persons: [[UInt8]]?

  /// What stands in the place of a day that the photo does not say.
  private static let undated = "undated"

  init() {}

  /// Looks for what a template needs: a header is read for a date alone.
  ///
  /// - Parameters:
  ///   - input: One that may be cropped.
  ///   - template: Nil for the standard names.
  ///   - names: Nil without --names.
  init(of input: BatchInput, for template: NameTemplate?, names: NameList?, by cropper: FaceCropper) async {
    if template?.has(.folder) == true { folder = Self.folder(of: input.path) }
    if template?.has(.date) == true {
      // A pipe is read once, and not for its name's sake.
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
