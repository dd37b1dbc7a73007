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
    case hiding(Anonymization, as: @Sendable (_ own: ImageFormat) -> OutputFormat?)

    /// Whether each image has one output, which shows all of it.
    var makesWholeImages: Bool { if case .hiding = self { true } else { false } }
  }

  struct Result: Sendable {
    var plan: CropPlan
    var warnings: [CropWarning]
    /// The method of the detection pass; nil without one.
    var detectionPath: DecodePath?
  }

  struct Output: Sendable {
    /// The index of the crop in the plan; nil for the whole image.
    var crop: Int?
    /// The number in its name, if outputs are numbered.
    var number = 1
    /// The size as displayed, in pixels.
    var size: PixelSize
    /// The indices of its faces in the plan.
    var faces: [Int]
    var path: DecodePath
    /// The landmarks of its face, in fractions of the output; nil for none or several faces.
    var landmarks: FaceLandmarks?
    /// The affine map from the image to an output of a template; nil for other outputs.
    var matrix: [Double]?
    /// The preset's rules that it misses; nil if the preset has none.
    var misses: [MissedRule]?
    /// The confidence that its people are cut out well; nil without a new background.
    var cutout: Double?
    /// The XMP packet in it; nil for none.
    var xmp: [UInt8]?
    /// The bytes of the file.
    var bytes: [UInt8]
  }

  typealias Progress = @Sendable (CropProgress) -> Void

  let cropper: FaceCropper
  let method: Method
  /// The rules that outputs must keep; nil for none.
  let standard: PhotoStandard?

  /// Creates a maker. The cropper's time limit covers all outputs together, writing included.
  init(cropper: FaceCropper, method: Method, standard: PhotoStandard? = nil) {
    self.cropper = cropper.ending(by: .now + cropper.limits.time)
    self.method = method
    self.standard = standard
  }

  /// Runs only the detection pass.
  func plan(
    for source: ImageSource, _ request: CropRequest, progress: @escaping Progress
  ) async throws(FaceCropError) -> CropPlan {
    if case .hiding(let hiding, _) = method {
      return try await cropper.hidingPlan(for: source, request: hiding, progress: progress)
    }
    if case .lossless = method, ![.jpeg, .raw].contains(try await cropper.info(of: source).format) {
      throw .unsupported("a lossless crop needs a JPEG file (leave out --lossless)")
    }
    return try await cropper.plan(
      for: source, search: request.search, composition: request.composition, allowsDamage: request.allowsDamage,
      progress: progress)
  }

  /// Makes all outputs; applies `plan`, if there is one, without a detection pass. It calls `planned` before the final
  /// pass, or before the output of a whole image, and an error from it ends the work. It calls `made` with each output,
  /// crop by crop and size by size, and waits until it returns.
  func callAsFunction(
    _ source: ImageSource, _ request: CropRequest, plan: CropPlan? = nil, progress: @escaping Progress,
    planned: (CropPlan) throws -> Void = { _ in }, made: (Output) async throws -> Void
  ) async throws -> Result {
    switch method {
    case .encoded(let format, let background, let mostBytes):
      let plan = plan?.inWholePixels(of: request.composition.layout.aspect)
      var request = request
      if case .jpeg = format {} else if request.output.gainMap != .drop { request.output.gainMap = .otherFormat }
      if request.search.animation == .keep, try await cropper.info(of: source).isAnimated {
        let crops = cropper.animatedCrops(of: source, plan: plan, request: request, as: format, progress: progress)
        return try await take(crops, planned) { crop, plan in
          if let mostBytes, crop.bytes.count > mostBytes {
            throw FaceCropError.tooLarge(bytes: crop.bytes.count, allowed: mostBytes)
          }
          try await made(Output(crop, in: plan))
        }
      }
      let isPlanned = plan != nil
      let crops = cropper.crops(of: source, plan: plan, request: request, progress: progress)
      return try await take(crops, planned) { crop, plan in
        let bytes =
          if let mostBytes {
            try await cropper.encode(
              crop, as: format, atMost: mostBytes, background: background, progress: progress
            ).bytes
          } else {
            try await cropper.encode(crop, as: format, background: background, progress: progress)
          }
        try await made(
          Output(
            crop: crop.crop, number: plan.outputNumbers[crop.crop], size: crop.pixels.size, faces: crop.faces,
            path: crop.path,
            landmarks: crop.landmarks(in: plan),
            matrix: plan.crops[crop.crop].template == nil ? nil : crop.matrix,
            misses: try await misses(of: bytes, crop.faces) {
              Cause(
                request: request, isPlanned: isPlanned, crop: plan.crops[crop.crop], source: plan.source,
                made: crop.pixels.size, format: format)
            },
            cutout: crop.cutoutConfidence, xmp: crop.xmp.map(Sidecar.sealed),
            bytes: bytes))
      }
    case .lossless:
      let crops = cropper.losslessCrops(of: source, plan: plan, request: request, progress: progress)
      var count = 0
      return try await take(crops, planned) { crop, plan in
        try await made(
          Output(
            crop: count, number: plan.outputNumbers[count], size: crop.region.size, faces: crop.faces, path: crop.path,
            landmarks: crop.landmarks(in: plan), xmp: crop.xmp.map(Sidecar.sealed), bytes: crop.bytes))
        count += 1
      }
    case .hiding(let hiding, let format):
      let own = try source.format() ?? .jpeg
      var hiding = hiding
      hiding.sidecar = request.output.sidecar
      let image = try await cropper.anonymize(
        source, request: hiding, plan: plan, as: format(own), progress: progress)
      try planned(image.plan)
      try await made(
        Output(size: image.size, faces: image.plan.crops.flatMap(\.faces), path: image.path, bytes: image.bytes))
      return Result(plan: image.plan, warnings: image.warnings, detectionPath: image.detectionPath)
    }
  }

  /// Returns the rules that an output breaks. `cause` has the facts for remedies.
  private func misses(of bytes: [UInt8], _ faces: [Int], cause: () -> Cause) async throws(FaceCropError)
    -> [MissedRule]?
  {
    guard let standard, !faces.isEmpty else { return nil }
    let check = try await cropper.check(.bytes(bytes), by: standard, measuresBackground: false)
    return check.findings.compactMap { MissedRule($0, standard, cause()) }
  }

  private func take<Crop>(
    _ crops: CropSequence<Crop>, _ planned: (CropPlan) throws -> Void, _ made: (Crop, CropPlan) async throws -> Void
  ) async throws -> Result {
    var result: Result?
    for try await step in crops {
      switch step {
      case .planned(let plan, let path):
        result = Result(plan: plan, warnings: [], detectionPath: path)
        try planned(plan)
      case .crop(let crop): try await made(crop, result!.plan)
      case .finished(let warnings): result!.warnings = warnings
      }
    }
    return result!
  }
}

extension CropMaker.Output {
  /// Creates the output of an animation.
  fileprivate init(_ crop: AnimatedCrop, in plan: CropPlan) {
    self.init(
      crop: crop.crop, number: plan.outputNumbers[crop.crop], size: crop.size, faces: crop.faces, path: crop.path,
      landmarks: crop.landmarks(in: plan), matrix: plan.crops[crop.crop].template == nil ? nil : crop.matrix,
      cutout: crop.cutoutConfidence, xmp: crop.xmp.map(Sidecar.sealed), bytes: crop.bytes)
  }
}

extension Outcome.Output {
  /// The files written beside an output.
  init(sidecar path: FilePath, _ bytes: [UInt8]) {
    self.init(
      file: path.string, fileBase64: path.base64, bytes: bytes.count, sha256: Hexadecimal.sha256(bytes), sidecar: true)
  }

  /// Creates the record of an output. `digest` is the SHA-256 of its bytes; nil if not needed.
  init(_ path: FilePath, _ output: CropMaker.Output, digest: String?) {
    func pixels(_ part: Double, _ side: Int) -> Double { (part * Double(side) * 100).rounded() / 100 }
    self.init(
      file: path.string, fileBase64: path.base64, width: output.size.width, height: output.size.height,
      bytes: output.bytes.count, sha256: digest, missedRules: output.misses?.map(\.name), cutout: output.cutout,
      crop: output.crop,
      landmarks: output.landmarks?.points.map { [pixels($0.x, output.size.width), pixels($0.y, output.size.height)] },
      matrix: output.matrix)
  }
}

extension CropPlan {
  /// Whether outputs need numbers in their names.
  var isNumbered: Bool { crops.count > 1 || crops.contains { $0.number != nil } }
}
