extension FaceCropper {
  /// Checks a finished photo against the rules for identity documents.
  ///
  /// The detector must find eyes, as YuNet does; without them the rules about eyes fail. Heads are measured in the
  /// overview, to about 0.03 of their height. A value that close to a limit may be on the wrong side. Rules that the
  /// authority of a document does not state are those of ICAO Doc 9303 and ISO/IEC 19794-5.
  ///
  /// - Parameters:
  ///   - source: The photo.
  ///   - standard: The rules. Default `passport`.
  ///   - allowsDamage: Whether to search the readable part of a damaged or truncated image. Default false.
  /// - Throws: Any ``FaceCropError``. A photo that breaks rules is no error.
  public func check(
    _ source: ImageSource, by standard: PhotoStandard = .passport, allowsDamage: Bool = false
  ) async throws(FaceCropError) -> PhotoCheck {
    let detection = try await detect(
      in: source, search: FaceSearch(faces: .largest), levelsEyes: true, findsHeads: true,
      allowsDamage: allowsDamage)
    return PhotoCheck(standard, detection, fileBytes: source.byteCount)
  }
}
