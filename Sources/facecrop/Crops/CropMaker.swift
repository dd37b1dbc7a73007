import FaceCrop
import SystemPackage

/// A maker of an image's output files, one by one. Crops are rendered and encoded, or cut out of a JPEG file. Or the
/// output is the whole image with hidden faces.
struct CropMaker: Sendable {
  enum Method: Sendable {
    /// A rendered and encoded crop. To keep the file within `mostBytes`, the quality is lowered; nil for no bound.
    case encoded(OutputFormat, background: BackgroundColor, mostBytes: Int?)
    case lossless
    /// The whole image with hidden faces. The format follows the image's own one; nil keeps a JPEG file's blocks.
    case blur(BlurRequest, as: @Sendable (_ own: ImageFormat) -> OutputFormat?)

    /// Whether each image has one output, which shows all of it.
    var makesWholeImages: Bool { if case .blur = self { true } else { false } }
  }

  /// The plan and the warnings, without the outputs.
  typealias Result = CropResult<Never>
  typealias Progress = @Sendable (CropProgress) -> Void

  let cropper: FaceCropper
  let method: Method
  /// The rules that outputs must keep; nil for none.
  let standard: PhotoStandard?

  /// Creates a maker. The cropper's time limit covers all outputs together, writing included.
  init(cropper: FaceCropper, method: Method, standard: PhotoStandard? = nil) {
    self.cropper = cropper.sharingTime()
    self.method = method
    self.standard = standard
  }

  /// Runs only the detection pass.
  func plan(
    for source: ImageSource, _ request: CropRequest, progress: @escaping Progress
  ) async throws(FaceCropError) -> CropPlan {
    if case .blur(let blur, _) = method {
      return try await cropper.blurPlan(for: source, request: blur, progress: progress)
    }
    if case .lossless = method, ![.jpeg, .raw].contains(try await cropper.info(of: source).format) {
      throw .unsupported("a lossless crop needs a JPEG file (leave out --lossless)")
    }
    return try await cropper.plan(for: source, request: request, progress: progress).plan
  }

  /// Makes all outputs; applies `plan`, if there is one, without a detection pass. It calls `planned` before the final
  /// pass, or before the output of a whole image, and an error from it ends the work. It calls `made` with each output,
  /// crop by crop and size by size, and waits until it returns. `misses` are the preset's rules that the output misses; nil
  /// if the preset has none.
  func callAsFunction(
    _ source: ImageSource, _ request: CropRequest, plan: CropPlan? = nil, progress: @escaping Progress,
    planned: (CropPlan) throws -> Void = { _ in }, made: (EncodedCrop, _ misses: [MissedRule]?) async throws -> Void
  ) async throws -> Result {
    switch method {
    case .encoded(let format, let background, let mostBytes):
      let plan = plan?.inWholePixels(of: request.composition.layout.aspect)
      var request = request
      if case .jpeg = format {} else if request.output.gainMap != .drop { request.output.gainMap = .otherFormat }
      if request.search.animation == .keep, try await cropper.info(of: source).isAnimated {
        let crops = cropper.animatedCrops(of: source, plan: plan, request: request, as: format, progress: progress)
        return try await take(crops, planned) { crop, _ in
          if let mostBytes, crop.bytes.count > mostBytes {
            throw FaceCropError.tooLarge(bytes: crop.bytes.count, allowed: mostBytes)
          }
          try await made(crop, nil)
        }
      }
      let isPlanned = plan != nil
      let crops = cropper.crops(of: source, plan: plan, request: request, progress: progress)
      return try await take(crops, planned) { crop, plan in
        let file = try await cropper.encode(
          crop, as: format, atMost: mostBytes, background: background, progress: progress)
        let misses = try await misses(of: file) {
          Cause(
            request: request, isPlanned: isPlanned, crop: plan.crops[file.crop], source: plan.source, made: file.size,
            format: format)
        }
        try await made(file, misses)
      }
    case .lossless:
      let crops = cropper.losslessCrops(of: source, plan: plan, request: request, progress: progress)
      return try await take(crops, planned) { crop, _ in try await made(crop, nil) }
    case .blur(let blur, let format):
      let own = try source.format() ?? .jpeg
      var blur = blur
      blur.sidecar = request.output.sidecar
      let image = try await cropper.blur(source, request: blur, plan: plan, as: format(own), progress: progress)
      try planned(image.plan)
      try await made(image.file, nil)
      return Result(plan: image.plan, warnings: image.warnings, detectionPath: image.detectionPath)
    }
  }

  /// Returns the rules that an output breaks. `cause` has the facts for remedies.
  private func misses(of file: EncodedCrop, cause: () -> Cause) async throws(FaceCropError) -> [MissedRule]? {
    guard let standard, !file.faces.isEmpty else { return nil }
    let check = try await cropper.check(.bytes(file.bytes), by: standard, measuresBackground: false)
    return check.findings.compactMap { MissedRule($0, standard, cause()) }
  }

  private func take<Crop>(
    _ crops: CropSequence<Crop>, _ planned: (CropPlan) throws -> Void, _ made: (Crop, CropPlan) async throws -> Void
  ) async throws -> Result {
    var result: Result?
    for try await step in crops {
      switch step {
      case .planned(let plan, let path):
        result = Result(plan: plan, detectionPath: path)
        try planned(plan)
      case .crop(let crop): try await made(crop, result!.plan)
      case .finished(let warnings): result!.warnings = warnings
      }
    }
    return result!
  }
}

extension Outcome.Output {
  /// The files written beside an output.
  init(sidecar path: FilePath, _ bytes: [UInt8]) {
    self.init(
      file: path.string, fileBase64: path.base64, bytes: bytes.count, sha256: ContentHash(of: bytes).hexadecimal,
      sidecar: true)
  }

  /// Creates the record of an output. `plan` is that of its crop; nil for the whole image. `digest` is the SHA-256 of its
  /// bytes; nil if not needed.
  init(_ path: FilePath, _ file: EncodedCrop, of plan: CropPlan?, digest: String?) {
    let size = file.size
    let padded = plan.map { file.paddedShare(in: $0) } ?? 0
    func pixels(_ part: Double, _ side: Int) -> Double { (part * Double(side) * 100).rounded() / 100 }
    self.init(
      file: path.string, fileBase64: path.base64, width: size.width, height: size.height, bytes: file.bytes.count,
      sha256: digest, cutout: file.cutoutConfidence, padded: padded > 0 ? padded : nil,
      crop: plan == nil ? nil : file.crop,
      landmarks: plan.flatMap { file.landmarks(in: $0) }?.points.map {
        [pixels($0.x, size.width), pixels($0.y, size.height)]
      },
      // Only outputs of a template have the affine map from the image.
      matrix: plan?.crops[file.crop].template == nil ? nil : file.matrix)
  }
}

extension CropPlan {
  /// Whether outputs need numbers in their names.
  var isNumbered: Bool { crops.count > 1 || crops.contains { $0.number != nil } }
}
