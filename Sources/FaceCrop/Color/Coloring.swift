/// The color conversion of a request's crops from one file. Each conversion is created once.
final class Coloring {
  private let policy: ColorPolicy
  private let profile: [UInt8]?
  private let job: Job
  private var made: [PixelBuffer.Format: ColorConversion?] = [:]

  /// Creates a conversion from the image's ICC profile, if it has one.
  init(_ policy: ColorPolicy, from profile: [UInt8]?, _ job: Job) {
    self.policy = policy
    self.profile = profile
    self.job = job
  }

  /// Returns the converted image, and the profile that describes it; nil for sRGB.
  func apply(to picture: consuming PixelBuffer) throws(FaceCropError) -> (PixelBuffer, [UInt8]?) {
    guard let profile else { return (picture, nil) }
    // An image that cannot be converted keeps its profile, for other programs.
    guard policy == .srgb, let conversion = try conversion(from: profile, picture.format) else {
      return (picture, profile)
    }
    return (try conversion.converted(picture, job: job), nil)
  }

  private func conversion(
    from profile: [UInt8], _ format: PixelBuffer.Format
  ) throws(FaceCropError) -> ColorConversion? {
    if let known = made[format] { return known }
    // The time grows with the profile.
    try job.step(profile.count)
    let conversion = try ColorConversion(from: profile, format: format)
    made[format] = .some(conversion)
    return conversion
  }
}
