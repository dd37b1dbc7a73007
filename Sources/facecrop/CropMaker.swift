import FaceCrop

/// Makes a picture's crops into files, one after the other: rendered and encoded, or cut out of a JPEG file as it is.
struct CropMaker: Sendable {
  enum Method: Sendable {
    /// - Parameter mostBytes: of the file, for which the quality is lowered where there is one; nil keeps it.
    case encoded(OutputFormat, background: BackgroundColor, mostBytes: Int?)
    case lossless
  }

  struct Result: Sendable {
    var plan: CropPlan
    var warnings: [CropWarning]
    /// Nil where nothing was looked at.
    var lookPath: DecodePath?
  }

  struct Output: Sendable {
    /// Which of the plan's crops it is of.
    var crop: Int
    /// The size as displayed, in pixels.
    var size: PixelSize
    /// Which of the plan's it is for.
    var faces: [Int]
    var path: DecodePath
    /// The bytes of the file.
    var bytes: [UInt8]
  }

  typealias Progress = @Sendable (CropProgress) -> Void

  let cropper: FaceCropper
  let method: Method

  /// - Parameter cropper: all that is made, and written meanwhile, has the time of its limits together.
  init(cropper: FaceCropper, method: Method) {
    self.cropper = cropper.ending(by: .now + cropper.limits.time)
    self.method = method
  }

  /// The look alone.
  func plan(
    for source: ImageSource, _ request: CropRequest, progress: @escaping Progress
  ) async throws(FaceCropError) -> CropPlan {
    if case .lossless = method, ![.jpeg, .raw].contains(try await cropper.info(of: source).format) {
      throw .unsupported("a lossless crop needs a JPEG file")
    }
    return try await cropper.plan(
      for: source, search: request.search, composition: request.composition, allowsDamage: request.allowsDamage,
      progress: progress)
  }

  /// - Parameters:
  ///   - plan: to be applied instead of looking.
  ///   - planned: gets the plan before anything is decoded at full quality; what it throws ends the work.
  ///   - made: gets crop by crop, size by size; the next is begun when it returns.
  func callAsFunction(
    _ source: ImageSource, _ request: CropRequest, plan: CropPlan? = nil, progress: @escaping Progress,
    planned: (CropPlan) throws -> Void = { _ in }, made: (Output) async throws -> Void
  ) async throws -> Result {
    switch method {
    case .encoded(let format, let background, let mostBytes):
      var request = request
      if case .jpeg = format {} else if request.output.gainMap != .drop { request.output.gainMap = .otherFormat }
      let crops = cropper.crops(of: source, plan: plan, request: request, progress: progress)
      return try await take(crops, planned) { crop in
        let bytes =
          if let mostBytes {
            try await cropper.encode(
              crop, as: format, atMost: mostBytes, background: background, progress: progress
            ).bytes
          } else {
            try await cropper.encode(crop, as: format, background: background, progress: progress)
          }
        try await made(
          Output(crop: crop.crop, size: crop.pixels.size, faces: crop.faces, path: crop.path, bytes: bytes))
      }
    case .lossless:
      let crops = cropper.losslessCrops(of: source, plan: plan, request: request, progress: progress)
      var count = 0
      return try await take(crops, planned) { crop in
        try await made(
          Output(crop: count, size: crop.region.size, faces: crop.faces, path: crop.path, bytes: crop.bytes))
        count += 1
      }
    }
  }

  private func take<Crop>(
    _ crops: CropSequence<Crop>, _ planned: (CropPlan) throws -> Void, _ made: (Crop) async throws -> Void
  ) async throws -> Result {
    var result: Result?
    for try await step in crops {
      switch step {
      case .planned(let plan, let path):
        result = Result(plan: plan, warnings: [], lookPath: path)
        try planned(plan)
      case .crop(let crop): try await made(crop)
      case .finished(let warnings): result!.warnings = warnings
      }
    }
    return result!
  }
}
