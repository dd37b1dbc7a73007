extension FaceCropper {
  /// Measures a finished photograph by the rules for identity documents.
  ///
  /// The detector has to find eyes, as the network does: without them the rules about eyes are not kept. Heads are measured in the small
  /// picture that is searched, to about 0.03 of their height: a value that near to a limit may lie on the other side of it.
  ///
  /// - Parameters:
  ///   - source: The picture.
  ///   - standard: Whose rules.
  ///   - allowsDamage: Whether a damaged or truncated picture is searched as far as it can be read.
  /// - Throws: Any ``FaceCropError``; a picture that keeps no rule is none.
  public func check(
    _ source: ImageSource, by standard: PhotoStandard = .passport, allowsDamage: Bool = false
  ) async throws(FaceCropError) -> PhotoCheck {
    let detection = try await detect(
      in: source, search: FaceSearch(faces: .largest), levelsEyes: true, findsHeads: true,
      allowsDamage: allowsDamage)
    switch standard {
    case .passport: return PhotoCheck(passport: detection)
    }
  }
}
