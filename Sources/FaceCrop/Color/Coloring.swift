/// The color conversion of a request's crops from one file. Each conversion is created once.
final class Coloring {
  private let policy: ColorPolicy
  private let profile: [UInt8]?
  private let job: Job
  private var profiles: [ICCProfile.Space: [UInt8]?] = [:]
  private var made: [PixelBuffer.Format: ColorConversion?] = [:]

  /// Creates a conversion from the image's ICC profile, if it has one.
  init(_ policy: ColorPolicy, from profile: [UInt8]?, _ job: Job) {
    self.policy = policy
    self.profile = profile
    self.job = job
  }

  /// Returns the image in sRGB, or in its own colors if the policy keeps them, or its profile cannot be used.
  func apply(to picture: consuming PixelBuffer) throws(FaceCropError) -> (PixelBuffer, isConverted: Bool) {
    guard policy == .srgb, let conversion = try conversion(of: picture.format) else { return (picture, false) }
    return (try conversion.converted(picture, job: job), true)
  }

  /// Returns the profile of pixels in the image's own colors; nil for sRGB, and if none can describe them.
  func profile(for format: PixelBuffer.Format) throws(FaceCropError) -> [UInt8]? {
    guard let profile else { return nil }
    let space: ICCProfile.Space = format == .gray ? .gray : .rgb
    if let known = profiles[space] { return known }
    // The time grows with the profile.
    try job.step(profile.count)
    let fitted = try ICCProfile.fitted(profile, to: space, job)
    profiles[space] = .some(fitted)
    return fitted
  }

  private func conversion(of format: PixelBuffer.Format) throws(FaceCropError) -> ColorConversion? {
    if let known = made[format] { return known }
    var conversion: ColorConversion?
    if let profile = try profile(for: format) { conversion = try ColorConversion(from: profile, format: format) }
    made[format] = .some(conversion)
    return conversion
  }
}
