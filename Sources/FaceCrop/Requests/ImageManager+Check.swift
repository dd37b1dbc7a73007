extension ImageManager {
  /// Checks a finished photo against the rules for identity documents, as
  /// ``FaceCropper/check(_:by:allowsDamage:measuresBackground:)`` does.
  ///
  /// The request shares the queue, the memory budget, and the deadline with all others. Equal concurrent requests share
  /// the work.
  ///
  /// - Parameters:
  ///   - asset: The photo, which is not fetched.
  ///   - standard: The rules. Default `passport`.
  ///   - measuresBackground: Whether the rules about the background are measured. Default true.
  /// - Throws: Any ``ImageRequestError``. A photo that breaks rules is no error.
  public func check(
    _ asset: ImageAsset, by standard: PhotoStandard = .passport, measuresBackground: Bool = true
  ) async throws(ImageRequestError) -> PhotoCheck {
    count(\.requests)
    let resolved = try ResolvedAsset(asset)
    try check(resolved, isNetworkAccessAllowed: false)
    let key = CheckKey(asset: resolved.version, standard: standard, measuresBackground: measuresBackground)
    return try await outcome(of: key, in: checking, ImageRequestOptions(), events: .init()) {
      (reporter) async throws(ImageRequestError) in
      try await self.answer(
        resolved, reporter, encodes: false,
        demand: { (info) throws(ImageRequestError) in
          let search = CropRequest(search: FaceCropper.searchForCheck, composition: Composition(alignsEyes: true))
          return DecodeQueue.Demand(
            memory: info.memory(for: search), isExpensive: info.cost(for: search) > DecodeQueue.expensiveCost)
        }
      ) { (source, place, progress) async throws(FaceCropError) in
        self.count(\.detections)
        return try await self.cropper.check(
          source, by: standard, allowsDamage: false, measuresBackground: measuresBackground, on: .unlimited,
          admission: place.admission, progress: progress)
      }
    }
  }
}

/// Everything that determines the result of a check.
struct CheckKey: Hashable, Sendable {
  var asset: AssetVersion
  var standard: PhotoStandard
  var measuresBackground: Bool
}
