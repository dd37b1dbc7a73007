extension FaceCropper {
  /// Checks a finished photo against the rules for identity documents.
  ///
  /// The detector must find eyes, as YuNet does; without them the rules about eyes fail. Heads are measured in the
  /// overview, to about 0.03 of their height. A value that close to a limit may be on the wrong side. The rules about the
  /// background are measured only if people stand out from it clearly, and enough of it is visible. The rule about the
  /// mouth is measured only in faces from the front with enough pixels. Rules that the
  /// authority of a document does not state are those of ICAO Doc 9303 and ISO/IEC 19794-5.
  ///
  /// - Parameters:
  ///   - source: The photo.
  ///   - standard: The rules. Default `passport`.
  ///   - allowsDamage: Whether to search the readable part of a damaged or truncated image. Default false.
  ///   - measuresBackground: Whether the rules about the background are measured. Default true.
  /// - Throws: Any ``FaceCropError``. A photo that breaks rules is no error.
  public func check(
    _ source: ImageSource, by standard: PhotoStandard = .passport, allowsDamage: Bool = false,
    measuresBackground: Bool = true
  ) async throws(FaceCropError) -> PhotoCheck {
    try await check(
      source, by: standard, allowsDamage: allowsDamage, measuresBackground: measuresBackground, on: .shared,
      admission: nil, progress: nil)
  }

  func check(
    _ source: ImageSource, by standard: PhotoStandard, allowsDamage: Bool, measuresBackground: Bool,
    on threads: JobThreads, admission: Admission?, progress: (@Sendable (CropProgress) -> Void)?
  ) async throws(FaceCropError) -> PhotoCheck {
    let search = Self.searchForCheck
    return try await run(
      source, allowsDamage: allowsDamage, on: threads, admission: admission, progress: progress,
      phases: [.overview, .detect]
    ) { (session, job) throws(FaceCropError) in
      var overview: PixelBuffer?
      let detection = try look(
        session, search, for: Composition(alignsEyes: true), job, findsHeads: true, usesThumbnail: false
      ) { overview = $0.value }
      var background: BackgroundMeasure?
      if measuresBackground, let overview { background = try measure(overview, around: detection, job) }
      return PhotoCheck(standard, detection, background: background, fileBytes: source.byteCount)
    }
  }

  static let searchForCheck = {
    var search = FaceSearch(faces: .prominent, findsAllFaces: true)
    search.findsMeshes = true
    return search
  }()

  /// Measures the background of a photo around its largest face; nil without one.
  private func measure(
    _ photo: PixelBuffer, around detection: Detection, _ job: Job
  ) throws(FaceCropError) -> BackgroundMeasure? {
    guard let face = detection.chosen.map({ detection.faces[$0] }) else { return nil }
    let people = try personNetworks.withItem { (network) throws(FaceCropError) in
      try PersonMap(
        of: FramedPeople(own: [face.box]), in: PersonWindow(of: photo), output: photo.size, keepsAll: true, by: network,
        job)
    }
    return BackgroundMeasure.of(photo, around: people)
  }
}
