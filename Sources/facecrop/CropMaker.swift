import FaceCrop
import SystemPackage

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
    /// The number in its name, where outputs are numbered.
    var number: Int
    /// The size as displayed, in pixels.
    var size: PixelSize
    /// Which of the plan's it is for.
    var faces: [Int]
    var path: DecodePath
    /// Where the landmarks of its face are, in fractions of it; nil for none or several faces.
    var landmarks: FaceLandmarks?
    /// The rules of the preset that it does not keep; nil where the preset has none.
    var misses: [MissedRule]?
    /// The XMP packet in it; nil for none.
    var xmp: [UInt8]?
    /// The bytes of the file.
    var bytes: [UInt8]
  }

  /// A rule that an output does not keep.
  struct MissedRule: Sendable {
    /// The rule's name.
    var name: String
    /// A clause for people.
    var message: String
  }

  typealias Progress = @Sendable (CropProgress) -> Void

  let cropper: FaceCropper
  let method: Method
  /// Whose rules the outputs are to keep; nil for nobody's.
  let standard: PhotoStandard?

  /// - Parameters:
  ///   - cropper: all that is made, and written meanwhile, has the time of its limits together.
  ///   - method: how crops are made.
  ///   - standard: whose rules the outputs are to keep.
  init(cropper: FaceCropper, method: Method, standard: PhotoStandard? = nil) {
    self.cropper = cropper.ending(by: .now + cropper.limits.time)
    self.method = method
    self.standard = standard
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
            landmarks: crop.landmarks(in: plan), misses: try await misses(of: bytes, faces: crop.faces), xmp: crop.xmp,
            bytes: bytes))
      }
    case .lossless:
      let crops = cropper.losslessCrops(of: source, plan: plan, request: request, progress: progress)
      var count = 0
      return try await take(crops, planned) { crop, plan in
        try await made(
          Output(
            crop: count, number: plan.outputNumbers[count], size: crop.region.size, faces: crop.faces, path: crop.path,
            landmarks: crop.landmarks(in: plan), xmp: crop.xmp, bytes: crop.bytes))
        count += 1
      }
    }
  }

  /// The rules that an output does not keep.
  private func misses(of bytes: [UInt8], faces: [Int]) async throws(FaceCropError) -> [MissedRule]? {
    guard let standard, !faces.isEmpty else { return nil }
    return try await cropper.check(.bytes(bytes), by: standard).findings.filter { !$0.passes }.map { finding in
      func shown(_ value: Double?) -> String? { value.map { "\(($0 * 1_000).rounded() / 1_000)" } }
      let limits =
        switch (shown(finding.rule.least), shown(finding.rule.most)) {
        case (let least?, let most?): "\(least) to \(most)"
        case (let least?, nil): "at least \(least)"
        case (nil, let most?): "at most \(most)"
        case (nil, nil): "any"
        }
      return MissedRule(
        name: finding.rule.name,
        message:
          "the output misses the \(standard.rawValue) rule '\(finding.rule.name)': \(shown(finding.value) ?? "unknown"), not \(limits) (use another photo, or see facecrop check)"
      )
    }
  }

  private func take<Crop>(
    _ crops: CropSequence<Crop>, _ planned: (CropPlan) throws -> Void, _ made: (Crop, CropPlan) async throws -> Void
  ) async throws -> Result {
    var result: Result?
    for try await step in crops {
      switch step {
      case .planned(let plan, let path):
        result = Result(plan: plan, warnings: [], lookPath: path)
        try planned(plan)
      case .crop(let crop): try await made(crop, result!.plan)
      case .finished(let warnings): result!.warnings = warnings
      }
    }
    return result!
  }
}

extension Outcome.Output {
  /// What was written beside an output.
  init(sidecar path: FilePath, _ bytes: [UInt8]) {
    self.init(
      file: path.string, fileBase64: path.base64, bytes: bytes.count, sha256: Hexadecimal.sha256(bytes), sidecar: true)
  }

  /// An output that was made.
  ///
  /// - Parameters:
  ///   - path: where it was written to.
  ///   - output: what was made.
  ///   - digest: the SHA-256 of its bytes; nil where nobody is told.
  init(_ path: FilePath, _ output: CropMaker.Output, digest: String?) {
    func pixels(_ part: Double, _ side: Int) -> Double { (part * Double(side) * 100).rounded() / 100 }
    self.init(
      file: path.string, fileBase64: path.base64, width: output.size.width, height: output.size.height,
      bytes: output.bytes.count, sha256: digest, missedRules: output.misses?.map(\.name), crop: output.crop,
      landmarks: output.landmarks?.points.map { [pixels($0.x, output.size.width), pixels($0.y, output.size.height)] })
  }
}

extension CropPlan {
  /// Whether outputs need numbers in their names.
  var isNumbered: Bool { crops.count > 1 || crops.contains { $0.number != nil } }
}
