/// The final pass over one image. It decodes each region of a plan, and makes every requested output of it.
struct FinalPass {
  private let plan: CropPlan
  private let session: any ImageSession
  private let output: CropOutput
  private let personNetworks: LoanPool<PersonNetwork>
  private let limits: Limits
  private let job: Job
  private let header: ImageHeader
  private let parts: [CropPlan.Part]
  private let metadata: KeptMetadata
  private let coloring: Coloring
  private var gainMap: GainMapRenderer
  /// The warnings about sizes.
  private var sizeWarnings: [CropWarning] = []
  private var cutoutWarnings: [CropWarning] = []
  /// The faults of the last region, which are the most complete.
  private var faults: Set<ImageFault>
  private var dropsProfile = false

  /// Creates the pass. Plan and output are valid. Throws ``FaceCropError/tooSmall(_:allowedSide:)`` before anything is
  /// decoded.
  init(
    _ plan: CropPlan, _ session: any ImageSession, _ output: CropOutput, _ personNetworks: LoanPool<PersonNetwork>,
    _ limits: Limits, _ job: Job
  ) throws(FaceCropError) {
    (self.plan, self.session, self.output, self.limits, self.job) = (plan, session, output, limits, job)
    self.personNetworks = personNetworks
    (header, faults) = (session.header, session.header.faults)
    metadata = try KeptMetadata(
      of: header, by: output.metadata, resolution: output.resolution, sidecar: output.sidecar, job)
    coloring = Coloring(output.color, from: header.profile, job)
    guard output.sizes.isEmpty || plan.crops.allSatisfy({ $0.template == nil }) else { throw FaceTemplate.hasSize }
    parts = plan.parts(for: output.sizes)
    for part in parts {
      let renderer = RegionRenderer(part.crop, in: plan.source, fill: output.fill, session: session)
      for size in Self.sizes(of: part, by: renderer, output) where size.longSide < output.smallestSide {
        throw .tooSmall(size, allowedSide: output.smallestSide)
      }
    }
    gainMap = try GainMapRenderer(of: session, by: output.gainMap, hasBackground: output.background != nil, job)
  }

  /// Makes the crops, and calls `give` with each but the last, which it returns.
  mutating func crops(
    _ give: (RenderedCrop) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> RenderedCrop? {
    var last: RenderedCrop?
    for (index, part) in parts.enumerated() {
      let renderer = RegionRenderer(
        part.crop, in: plan.source, fill: output.fill, shape: output.shape, session: session)
      let shares = noteSmallerSizes(of: part, by: renderer)
      let decoded = try renderer.pictures(
        sizes: Self.sizes(of: part, by: renderer, output), limits: limits, isLast: index == parts.count - 1,
        progress: ProgressSpan(job: job, phase: .render, index: index, count: parts.count))
      var pictures = decoded.value
      faults = decoded.faults
      try job.check()
      let background = try background(of: part, by: renderer, in: pictures)
      // Each image leaves the array, so that its pixels have one owner and are converted in place.
      pictures.reverse()
      while let picture = pictures.popLast() {
        let share = shares[picture.size] ?? 1
        let made = try crop(picture, of: part, by: renderer, background, share: share, path: decoded.path)
        if index == parts.count - 1, pictures.isEmpty { last = made } else { try give(made) }
      }
    }
    return last
  }

  /// Returns the sizes of a part's outputs.
  private static func sizes(
    of part: CropPlan.Part, by renderer: RegionRenderer, _ output: CropOutput
  ) -> [PixelSize] {
    // Outputs of a template have its size, which `parts` leaves to the renderer.
    part.sizes.isEmpty
      ? [renderer.outputSize] : part.sizes.map { $0.pixels(for: renderer.outputSize, enlarges: output.enlarges) }
  }

  /// Warns of outputs smaller than requested. If the printed size is kept, returns their shares of the requested size.
  private mutating func noteSmallerSizes(of part: CropPlan.Part, by renderer: RegionRenderer) -> [PixelSize: Double] {
    var shares: [PixelSize: Double] = [:]
    for (size, made) in zip(part.sizes, Self.sizes(of: part, by: renderer, output)) {
      let asked = size.pixels(for: renderer.outputSize, enlarges: true)
      guard asked != made else { continue }
      sizeWarnings.append(.smaller(asked: asked, made: made))
      if output.keepsPrintedSize { shares[made] = Double(made.longSide) / Double(asked.longSide) }
    }
    return shares
  }

  /// Returns the new background of a part, found in its largest output; nil if the request has none.
  private mutating func background(
    of part: CropPlan.Part, by renderer: RegionRenderer, in pictures: [PixelBuffer]
  ) throws(FaceCropError) -> BackgroundRenderer? {
    guard let background = output.background, let largest = pictures.max(by: { $0.size.area < $1.size.area }) else {
      return nil
    }
    let made = try BackgroundRenderer(
      background, behind: FramedPeople(of: part.crop, in: plan, view: renderer.view), in: largest, by: personNetworks,
      job)
    if made.isUnsure { cutoutWarnings.append(.unsureCutout(confidence: made.confidence)) }
    return made
  }

  /// Converts the colors of an output, cuts it to its shape, and adds its metadata and gain map.
  private mutating func crop(
    _ picture: consuming PixelBuffer, of part: CropPlan.Part, by renderer: RegionRenderer,
    _ background: BackgroundRenderer?, share: Double, path: DecodePath
  ) throws(FaceCropError) -> RenderedCrop {
    let size = picture.size
    var (colored, profile) = try coloring.apply(to: picture)
    if let background { colored = try background.applied(to: consume colored) }
    let pixels = output.shape == .circle ? colored.cutToEllipse() : colored
    let colorProfile = header.fits(pixels.format) ? profile : nil
    // A circle of a gray image has RGBA pixels, which a gray profile does not describe.
    dropsProfile = dropsProfile || output.color == .keep && header.profile != nil && colorProfile == nil
    let map = try gainMap.part(
      header.orientation.stored(renderer.region, in: header.size), output: header.orientation.applied(to: size),
      isPlain: renderer.showsRegionAlone && output.shape == .rectangle, turned: header.orientation)
    return RenderedCrop(
      pixels: pixels, region: renderer.region, faces: part.crop.faces, crop: part.index, colorProfile: colorProfile,
      exif: metadata.exif(size: size, colorsAreConverted: header.profile != nil && profile == nil), xmp: metadata.xmp,
      resolution: metadata.resolution.map { max($0 * share, Resolution.range.lowerBound) }, gainMap: map, path: path,
      cutoutConfidence: background?.confidence, view: renderer.view)
  }

  /// Returns every warning, in a fixed order.
  func warnings(hasCrops: Bool) -> [CropWarning] {
    var warnings = faults.warnings
    if header.isAnimated, hasCrops { warnings.append(.firstFrameOnly) }
    warnings += sizeWarnings + cutoutWarnings
    if let sensor = header.raw?.sensorSize, header.size.area < 0.8 * sensor.area, !sizeWarnings.isEmpty {
      warnings.append(.smallPreview(preview: header.size, sensor: sensor))
    }
    warnings += gainMap.warnings
    if dropsProfile { warnings.append(.profileDropped) }
    if metadata.losesCredits { warnings.append(.creditsDropped) }
    return warnings
  }
}
