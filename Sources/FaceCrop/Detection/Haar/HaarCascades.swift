import SystemPackage

/// The cascades of one detection at a time, each loaded when it is first used: parsing one takes as long as a search.
final class HaarCascades {
  private let folder: FilePath?
  private var loaded: [String: Cascade] = [:]

  init(folder: FilePath?) {
    self.folder = folder
  }

  /// Upright faces seen from the front.
  func frontal() throws(FaceCropError) -> Cascade { try cascade(.frontalFace) }
  /// The same, learned otherwise: a second opinion.
  func frontalStumps() throws(FaceCropError) -> Cascade { try cascade(.frontalFaceStumps) }
  /// Faces that look to the picture's left.
  func profile() throws(FaceCropError) -> Cascade { try cascade(.profileFace) }
  func eyes() throws(FaceCropError) -> Cascade { try cascade(.eyes) }

  private func cascade(_ file: ModelFile) throws(FaceCropError) -> Cascade {
    if let cascade = loaded[file.name] { return cascade }
    let cascade = try Cascade(file, folder: folder)
    loaded[file.name] = cascade
    return cascade
  }
}
