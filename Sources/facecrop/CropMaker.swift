import FaceCrop

/// Makes a picture's crops into files: rendered and encoded, or cut out of a JPEG file as it is.
struct CropMaker: Sendable {
  enum Method: Sendable {
    case encoded(OutputFormat, background: BackgroundColor)
    case lossless
  }

  struct Result: Sendable {
    var plan: CropPlan
    var warnings: [CropWarning]
    /// Nil where nothing was looked at.
    var lookPath: DecodePath?
    /// Crop by crop, size by size.
    var outputs: [Output]
  }

  struct Output: Sendable {
    /// In pixels, as displayed.
    var size: PixelSize
    /// Which of the plan's it is for.
    var faces: [Int]
    var path: DecodePath
    /// Of the file; made when they are asked for.
    var bytes: @Sendable (_ progress: @escaping Progress) async throws(FaceCropError) -> [UInt8]
  }

  typealias Progress = @Sendable (CropProgress) -> Void

  var cropper: FaceCropper
  var method: Method

  /// The look alone.
  func plan(
    for source: ImageSource, _ request: CropRequest, progress: @escaping Progress
  ) async throws(FaceCropError) -> CropPlan {
    if case .lossless = method, try source.format() != .jpeg {
      throw .unsupported("lossless crops are made of JPEG files alone")
    }
    return try await cropper.plan(for: source, request: request, progress: progress)
  }

  /// - Parameter plan: to be applied instead of looking.
  func callAsFunction(
    _ source: ImageSource, _ request: CropRequest, plan: CropPlan? = nil, progress: @escaping Progress
  ) async throws(FaceCropError) -> Result {
    switch method {
    case .encoded(let format, let background):
      let result =
        if let plan {
          try await cropper.render(plan, from: source, request: request, progress: progress)
        } else {
          try await cropper.crop(source, request: request, progress: progress)
        }
      let outputs = result.crops.map { crop in
        Output(size: crop.pixels.size, faces: crop.faces, path: crop.path) { progress throws(FaceCropError) in
          try await cropper.encode(crop, as: format, background: background, progress: progress)
        }
      }
      return Result(plan: result.plan, warnings: result.warnings, lookPath: result.lookPath, outputs: outputs)
    case .lossless:
      let result =
        if let plan {
          try await cropper.renderLosslessly(plan, from: source, request: request, progress: progress)
        } else {
          try await cropper.cropLosslessly(source, request: request, progress: progress)
        }
      let outputs = result.crops.map { crop in
        Output(size: crop.region.size, faces: crop.faces, path: crop.path) { _ in crop.bytes }
      }
      return Result(plan: result.plan, warnings: result.warnings, lookPath: result.lookPath, outputs: outputs)
    }
  }
}
