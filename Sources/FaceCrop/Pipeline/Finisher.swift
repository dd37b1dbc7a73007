/// The steps from the decoded pixels of a crop to those of its outputs: colors, background, and shape.
struct Finisher {
  let plan: CropPlan
  let output: CropOutput
  let job: Job
  private let header: ImageHeader
  private let masks: PersonMasks
  private let coloring: Coloring
  private var images = BackgroundDecoder(for: [])

  init(
    _ plan: CropPlan, of header: ImageHeader, _ output: CropOutput, _ networks: ObjectPool<PersonNetwork>, _ job: Job
  ) {
    (self.plan, self.header, self.output, self.job) = (plan, header, output, job)
    masks = PersonMasks(by: networks)
    coloring = Coloring(output.color, from: header.profile, job)
  }

  mutating func prepare(for sizes: [PixelSize]) { images = BackgroundDecoder(for: sizes) }

  /// Decodes the window around the people of a crop with a new background; nil if the output shows all of it.
  func window(
    of crop: CropPlan.Crop, view: CropView, in session: any ImageSession
  ) throws(FaceCropError) -> PersonWindow? {
    guard output.background(of: crop) != nil else { return nil }
    return try PersonWindow(
      around: FramedPeople(of: crop, in: plan, view: view), view, fill: output.fill(of: crop), in: session, job)
  }

  /// Returns the new background of a crop; nil if it keeps its own. The people are found in the window, or in the largest
  /// output without one. It shows `view`.
  func background(
    of crop: CropPlan.Crop, view: CropView, _ window: PersonWindow?, largest: PixelBuffer?
  ) throws(FaceCropError) -> BackgroundRenderer? {
    guard let background = output.background(of: crop), let largest else { return nil }
    let reachesOut = output.replacesFill(of: crop) && view.share(outside: plan.source) > 0
    return try BackgroundRenderer(
      background, behind: FramedPeople(of: crop, in: plan, view: view), in: window ?? PersonWindow(of: largest),
      output: largest.size, by: masks,
      StrokeCorrection(strokes: crop.strokes ?? [], view: view, source: plan.source, output: largest), images, job,
      inside: reachesOut ? (view, plan.source) : nil)
  }

  /// The pixels of an output.
  struct Result {
    var pixels: PixelBuffer
    /// The profile of the pixels; nil for sRGB.
    var colorProfile: [UInt8]?
    /// Whether they are no longer in the image's own colors.
    var isConverted: Bool
    /// Whether the pixels keep colors whose profile does not describe them.
    var dropsProfile: Bool
  }

  /// Converts the colors of an output, replaces its background, and cuts it to its shape.
  func callAsFunction(
    _ picture: consuming PixelBuffer, _ background: BackgroundRenderer?
  ) throws(FaceCropError) -> Result {
    var (colored, isConverted) = try coloring.apply(to: picture)
    if let background { colored = try background.applied(to: consume colored) }
    let pixels = output.shape == .circle ? colored.cutToEllipse() : colored
    let colorProfile = isConverted ? nil : try coloring.profile(for: pixels.format)
    return Result(
      pixels: pixels, colorProfile: colorProfile, isConverted: isConverted,
      dropsProfile: header.profile != nil && !isConverted && colorProfile == nil)
  }
}
