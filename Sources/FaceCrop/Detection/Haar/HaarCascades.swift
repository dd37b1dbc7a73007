import SystemPackage

/// The cascades of one detection at a time. Each is loaded at its first use: parsing takes as long as a search.
final class HaarCascades {
  private let folder: FilePath?
  private var loaded: [String: Cascade] = [:]

  init(folder: FilePath?) {
    self.folder = folder
  }

  /// Loads a cascade. There are two for upright frontal faces, from different trainings, one for faces that look to the
  /// image's left, and one for eyes.
  func callAsFunction(_ file: ModelFile) throws(FaceCropError) -> Cascade {
    if let cascade = loaded[file.name] { return cascade }
    let cascade = try Cascade(file, folder: folder)
    loaded[file.name] = cascade
    return cascade
  }
}
