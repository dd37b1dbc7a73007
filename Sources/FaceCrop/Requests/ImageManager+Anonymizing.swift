extension ImageManager {
  /// Hides the faces in a whole image, as ``FaceCropper/anonymize(_:request:plan:as:progress:)`` does, and keeps
  /// everything else.
  ///
  /// The request shares the queue, the memory budget, and the deadline with all others. It is admitted by
  /// ``ImageInfo/memoryForHiding(as:)``. Equal concurrent requests share the work. This search finds more faces than
  /// the one for crops. Its faces are cached, so another request to hide faces in the same image skips the search.
  ///
  /// - Parameters:
  ///   - request: The image, the faces to hide, and the format.
  ///   - progress: Called with each report; may stop the request.
  /// - Throws: Any ``ImageRequestError``. An image without a face is no error. A cancelled task ends with
  ///   ``FaceCropError/cancelled``.
  public func anonymizedImage(
    for request: AnonymizationRequest, progress: (@Sendable (CropProgress) -> ProgressAction)? = nil
  ) async throws(ImageRequestError) -> AnonymizedImage {
    count(\.requests)
    try request.check()
    let asset = try ResolvedAsset(request.asset)
    try check(asset, isNetworkAccessAllowed: request.isNetworkAccessAllowed)
    return try await outcome(
      of: AnonymizationKey(request, asset.version), in: anonymizing, priority: request.priority,
      deadline: request.deadline, events: .init(progress: progress)
    ) { (reporter) async throws(ImageRequestError) in
      try await self.answer(
        request.asset.id, asset, reporter, encodes: false,
        demand: { (info) throws(ImageRequestError) in request.demand(of: info) }
      ) { (source, place, progress) async throws(FaceCropError) in
        try await self.looking(.init(hiding: request.anonymization, in: asset.version)) {
          (known, looked) async throws(FaceCropError) in
          try await self.cropper.anonymize(
            source, request, known: known, looked: looked, admission: place.admission, progress: progress)
        }
      }
    }
  }
}

extension FaceCropper {
  /// Answers a request. Without a `known` detection, it searches for faces, and passes them to `looked` immediately.
  fileprivate func anonymize(
    _ source: ImageSource, _ request: AnonymizationRequest, known: Detection?,
    looked: @escaping @Sendable (Detection) -> Void, admission: Admission,
    progress: @escaping @Sendable (CropProgress) -> Void
  ) async throws(FaceCropError) -> AnonymizedImage {
    let wanted = request.anonymization
    return try await run(
      source, allowsDamage: wanted.allowsDamage, on: .unlimited, admission: admission, progress: progress,
      phases: known == nil ? [.overview, .detect, .render] : [.render]
    ) { (session, job) throws(FaceCropError) in
      try anonymize(
        session, wanted, plan: nil, known: known, as: request.output(for: session.format), job, looked: looked)
    }
  }
}
