/// The final pass over one image, or over each frame of an animation. It decodes each region of a plan, and makes every
/// requested output of it. What depends on the file alone, such as its metadata, is read once.
struct FinalPass {
  /// The way from a decoded region to the sizes of its outputs.
  enum Sampling {
    /// Resamples from the oversampling of the codec, as ``FaceCropper/crop(_:request:progress:)`` does.
    case fine
    /// Resamples from twice the size, and large outputs from their own size. Small images profit from it. Large ones
    /// would take four times the memory without a visible effect.
    case light
    /// Keeps the next larger size that the codec can decode. A new background makes it `light`.
    case codec
    /// Keeps the region's resolution. Sizes only decide the shape.
    case none
  }

  /// Whether the crops get metadata. The frames of an animation after the first one need none.
  var addsMetadata = true
  /// The header of the image, or of the last frame.
  private var header: ImageHeader
  private var finisher: Finisher
  private let sampling: Sampling
  let parts: [CropPlan.Part]
  /// The sizes of all outputs.
  let sizes: [PixelSize]
  private let metadata: KeptMetadata
  private var gainMap: GainMapRenderer
  /// The warnings about sizes.
  private var sizeWarnings: [CropWarning] = []
  private var cutoutWarnings: [CropWarning] = []
  /// The faults of the last region, which are the most complete.
  private var faults: Set<CropWarning>
  private var dropsProfile = false
  /// The bytes of all outputs together. A new background may take away transparency.
  let leastBytes: Int

  var plan: CropPlan { finisher.plan }
  private var output: CropOutput { finisher.output }
  private var job: Job { finisher.job }

  /// Creates the pass over an image, or over the animation with this frame. Plan and output are valid. Throws
  /// ``FaceCropError/tooSmall(_:allowedSide:)`` before anything is decoded.
  init(over session: any ImageSession, _ finisher: Finisher, sampling: Sampling) throws(FaceCropError) {
    (header, self.finisher, faults) = (session.header, finisher, session.header.faults)
    self.sampling = sampling
    let (plan, output, job) = (finisher.plan, finisher.output, finisher.job)
    metadata = try KeptMetadata(
      of: session.header, by: output.metadata, resolution: output.resolution, sidecar: output.sidecar, job)
    guard output.sizes.allSatisfy(\.isBound) || plan.crops.allSatisfy({ $0.template == nil }) else {
      throw FaceTemplate.hasSize
    }
    parts = plan.parts(for: output.sizes)
    sizes = parts.flatMap { part in
      Self.sizes(
        of: part, by: RegionRenderer(part.crop, in: plan.source, fill: output.fill, session: session), output, sampling)
    }
    if output.allowsUpscaling, !output.sizes.isEmpty, sizes.contains(where: { $0.longSide > OutputSize.largestSide }) {
      throw OutputSize.tooLarge
    }
    if let size = sizes.first(where: { $0.longSide < output.smallestSide }) {
      throw .tooSmall(size, allowedSide: output.smallestSide)
    }
    self.finisher.prepare(for: sizes)
    let hasBackground = plan.crops.contains { output.background(of: $0) != nil }
    let channels = min(session.header.format.channels, hasBackground ? 3 : 4)
    leastBytes = sizes.reduce(0) {
      $0.addingClamped($1.bytes(channels: output.shape == .circle ? 4 : channels))
    }
    gainMap = try GainMapRenderer(of: session, by: output.gainMap, hasBackground: hasBackground, job)
  }

  /// Makes the crops of the image or a frame, or only those of the plan's crop `wanted`. It calls `give` with each but
  /// the last, which it returns. The pass does not keep the session.
  mutating func crops(
    in session: any ImageSession, only wanted: Int? = nil, _ give: (RenderedCrop) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> RenderedCrop? {
    header = session.header
    (sizeWarnings, cutoutWarnings) = ([], [])
    let parts = self.parts.filter { wanted == nil || $0.index == wanted }
    var last: RenderedCrop?
    for (index, part) in parts.enumerated() {
      let renderer = RegionRenderer(
        part.crop, in: plan.source, fill: output.fill(of: part.crop), shape: output.shape, session: session)
      let shares = noteSmallerSizes(of: part, by: renderer)
      let window = try finisher.window(of: part.crop, view: renderer.view, in: session)
      let decoded = try decode(
        part, by: renderer, isLast: index == parts.count - 1,
        ProgressSpan(job: job, phase: .render, index: index, count: parts.count))
      var pictures = decoded.value
      faults = decoded.faults
      try job.check()
      let background = try finisher.background(
        of: part.crop, view: renderer.view, window, largest: pictures.max { $0.size.area < $1.size.area })
      if let warning = background?.warning { cutoutWarnings.append(warning) }
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

  /// Finishes pixels that show the region of the first crop already, such as those of the overview.
  mutating func preview(
    _ decoded: Decoded<PixelBuffer>, of session: any ImageSession
  ) throws(FaceCropError) -> RenderedCrop {
    let part = parts[0]
    let renderer = RegionRenderer(part.crop, in: plan.source, fill: output.fill, session: session)
    (faults, sizeWarnings, cutoutWarnings) = (decoded.faults, [], [])
    _ = noteSmallerSizes(of: part, by: renderer)
    let background = try finisher.background(
      of: part.crop, view: CropView(frame: Frame(renderer.region)), nil, largest: decoded.value)
    if let warning = background?.warning { cutoutWarnings.append(warning) }
    return try crop(decoded.value, of: part, by: renderer, background, share: 1, path: decoded.path)
  }

  /// Decodes a part, and resizes it by the sampling.
  private func decode(
    _ part: CropPlan.Part, by renderer: RegionRenderer, isLast: Bool, _ progress: ProgressSpan
  ) throws(FaceCropError) -> Decoded<[PixelBuffer]> {
    let sizes = Self.sizes(of: part, by: renderer, output, sampling)
    // A cut-out takes memory by the output's size.
    if sampling == .codec, output.background(of: part.crop) == nil {
      let decoded = try renderer.picture(above: sizes[0], limits: job.limits, isLast: isLast, progress: progress)
      return decoded.with([decoded.value])
    }
    let isLight = sampling == .light || sampling == .codec
    return try renderer.pictures(
      sizes: sizes, limits: job.limits, isLast: isLast, progress: progress,
      oversampling: isLight ? sizes.allSatisfy { $0.longSide <= 1_024 } ? 2 : 1 : nil)
  }

  private static func sizes(
    of part: CropPlan.Part, by renderer: RegionRenderer, _ output: CropOutput, _ sampling: Sampling
  ) -> [PixelSize] {
    // Outputs of a template have its size, which `parts` leaves to the renderer.
    part.sizes.isEmpty || sampling == .none
      ? [renderer.outputSize]
      : part.sizes.map { $0.pixels(for: renderer.outputSize, allowsUpscaling: output.allowsUpscaling) }
  }

  /// Warns of outputs smaller than requested. If the printed size is kept, returns their shares of the requested size.
  private mutating func noteSmallerSizes(of part: CropPlan.Part, by renderer: RegionRenderer) -> [PixelSize: Double] {
    var shares: [PixelSize: Double] = [:]
    guard sampling != .none else { return [:] }
    for (size, made) in zip(part.sizes, Self.sizes(of: part, by: renderer, output, sampling)) {
      let asked = size.pixels(for: renderer.outputSize, allowsUpscaling: true)
      // A size that no output can have is only a bound.
      guard asked != made, asked.longSide <= OutputSize.largestSide else { continue }
      sizeWarnings.append(.smaller(requested: asked, actual: made))
      if output.keepsPrintedSize { shares[made] = Double(made.longSide) / Double(asked.longSide) }
    }
    return shares
  }

  /// Finishes an output, and adds its metadata and gain map.
  private mutating func crop(
    _ picture: consuming PixelBuffer, of part: CropPlan.Part, by renderer: RegionRenderer,
    _ background: BackgroundRenderer?, share: Double, path: DecodePath
  ) throws(FaceCropError) -> RenderedCrop {
    let size = picture.size
    let made = try finisher(picture, background)
    dropsProfile = dropsProfile || made.dropsProfile
    let map = try gainMap.part(
      header.orientation.stored(renderer.region, in: header.size), output: header.orientation.applied(to: size),
      isPlain: renderer.showsRegionAlone && output.shape == .rectangle, turned: header.orientation)
    return RenderedCrop(
      pixels: made.pixels, region: renderer.region, faces: part.crop.faces, crop: part.index,
      colorProfile: made.colorProfile,
      exif: addsMetadata ? metadata.exif(size: size, colorsAreConverted: made.isConverted) : nil,
      xmp: addsMetadata ? metadata.xmp : nil,
      resolution: metadata.resolution.map { max($0 * share, Resolution.range.lowerBound) }, gainMap: map, path: path,
      cutoutConfidence: background?.confidence, view: renderer.view)
  }

  /// Returns every warning, in a fixed order.
  func warnings(hasCrops: Bool) -> [CropWarning] {
    var warnings = faults.inOrder
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
