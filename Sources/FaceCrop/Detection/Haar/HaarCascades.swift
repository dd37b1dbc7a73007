import SystemPackage

/// The cascades of one detection at a time. Each is loaded at its first use, because parsing one takes as long as a
/// search.
final class HaarCascades {
  private let folder: FilePath?
  private var loaded: [String: Cascade] = [:]

  init(folder: FilePath?) {
    self.folder = folder
  }

  /// Loads the cascade for upright frontal faces.
  func frontal() throws(FaceCropError) -> Cascade { try cascade(.frontalFace) }
  /// Loads the cascade for frontal faces from another training, for a second opinion.
  func frontalStumps() throws(FaceCropError) -> Cascade { try cascade(.frontalFaceStumps) }
  /// Loads the cascade for faces that look to the image's left.
  func profile() throws(FaceCropError) -> Cascade { try cascade(.profileFace) }
  func eyes() throws(FaceCropError) -> Cascade { try cascade(.eyes) }

  private func cascade(_ file: ModelFile) throws(FaceCropError) -> Cascade {
    if let cascade = loaded[file.name] { return cascade }
    let cascade = try Cascade(file, folder: folder)
    loaded[file.name] = cascade
    return cascade
  }
}
