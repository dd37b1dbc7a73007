extension ImageWork {
  /// Renders the first crop of a plan for all frames of an animation. Returns the response of the first frame, with the
  /// file of all.
  mutating func animated(_ plan: CropPlan) throws(FaceCropError) -> ImageResponse {
    guard let format = try request.output(for: session.format, isAnimated: true) else {
      var finisher: Finisher?
      return try rendered(plan, by: &finisher)
    }
    var reader = try session.animation(job)
    let (count, plays) = (reader.count, reader.plays)
    var encoder: (any AnimationEncoder)?
    var response: ImageResponse?
    // It serves all frames, since a color profile takes far more time than a small frame.
    var finisher: Finisher?
    let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
    while let frame = try reader.draw() {
      // It ends before the next frame, so that the canvas has one owner and is not copied.
      var work = self
      work.job = silent
      work.session = CanvasSession(frame, of: session, job: silent).turned(by: plan.rotation)
      let shown = try work.rendered(plan, by: &finisher)
      let input = EncoderInput(pixels: shown.image.buffer(), colorProfile: shown.colorProfile)
      if encoder == nil { encoder = try Codecs.animationEncoder(for: input, as: format, plays: plays, job: silent) }
      try encoder?.add(input.pixels, milliseconds: frame.milliseconds)
      // Warnings of later frames include those of earlier ones, except for cut-outs.
      let earlier = response?.warnings.filter { $0.kind == "cutout" && !shown.warnings.contains($0) } ?? []
      if response == nil { response = shown }
      response?.warnings = earlier + shown.warnings
      job.report(.render, frame.index + 1, of: count)
    }
    guard let encoder, var response else { throw .corrupt("the animation has no frame") }
    response.file = EncodedImage(format: format.imageFormat, bytes: try encoder.finish())
    // Frames are encoded while they are rendered.
    job.report(.encode, 1, of: 1)
    return response
  }
}
