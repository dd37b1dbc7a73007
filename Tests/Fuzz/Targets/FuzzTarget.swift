/// Targets for fuzzing: everything that reads untrusted bytes.
enum FuzzTarget: String, CaseIterable, Sendable {
  case jpeg, png, webp, gif, tiff, raw, jxl, header, lossless, exif, credits, icc, plan, request, manifest
  #if HEIF
    case heif
  #endif

  /// Runs one input.
  ///
  /// - Throws: ``Finding`` if the input breaks a promise.
  func run(_ input: [UInt8]) throws(Finding) {
    switch self {
    case .png, .webp, .gif:
      try PictureTarget.run(input)
      try AnimationTarget.run(input)
    case .jpeg, .tiff, .raw, .jxl: try PictureTarget.run(input)
    case .header: try CostBound.check(input.count) { () throws(Finding) in try HeaderTarget.run(input) }
    case .lossless: try LosslessTarget.run(input)
    case .exif: try CostBound.check(input.count) { () throws(Finding) in try EXIFTarget.run(input) }
    case .credits: try CostBound.check(input.count) { () throws(Finding) in try CreditsTarget.run(input) }
    case .icc: try ProfileTarget.run(input)
    case .plan: try PlanTarget.run(input)
    case .request: try RequestTarget.run(input)
    case .manifest: try ManifestTarget.run(input)
    #if HEIF
      case .heif:
        try PictureTarget.run(input)
        try AnimationTarget.run(input)
    #endif
    }
  }

  /// Makes small inputs of all kinds to start with.
  func seeds() throws -> [[UInt8]] {
    switch self {
    case .jpeg, .lossless: try PictureSeeds.jpeg()
    case .png: PictureSeeds.png()
    case .webp: try PictureSeeds.webP()
    case .gif: try PictureSeeds.gif()
    case .tiff: try PictureSeeds.tiff()
    case .raw: try PictureSeeds.raw()
    case .jxl: try PictureSeeds.jxl()
    case .header: try PictureSeeds.headers()
    case .exif: MetadataSeeds.exif()
    case .credits: CreditsTarget.seeds
    case .icc: MetadataSeeds.icc()
    case .plan: PlanTarget.seeds
    case .request: RequestTarget.seeds
    case .manifest: ManifestTarget.seeds
    #if HEIF
      case .heif: try HEIFSeeds.all()
    #endif
    }
  }
}

/// A promise that an input broke.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws(Finding) {
    if !condition { throw Finding(description()) }
  }
}
