/// Brings a request's pictures, all of one file, into the colors asked for. A conversion is made once.
final class Coloring {
  private let policy: ColorPolicy
  private let profile: [UInt8]?
  private let job: Job
  private var made: [PixelBuffer.Format: ColorConversion?] = [:]

  /// - Parameter profile: the pictures' ICC profile; nil where they have none.
  init(_ policy: ColorPolicy, from profile: [UInt8]?, _ job: Job) {
    self.policy = policy
    self.profile = profile
    self.job = job
  }

  /// The picture, and the profile that describes it; nil is sRGB.
  func apply(to picture: consuming PixelBuffer) throws(FaceCropError) -> (PixelBuffer, [UInt8]?) {
    guard let profile else { return (picture, nil) }
    // What cannot be converted goes on with its profile, for others to try.
    guard policy == .srgb, let conversion = try conversion(from: profile, picture.format) else {
      return (picture, profile)
    }
    return (try conversion.converted(picture, job: job), nil)
  }

  private func conversion(
    from profile: [UInt8], _ format: PixelBuffer.Format
  ) throws(FaceCropError) -> ColorConversion? {
    if let known = made[format] { return known }
    let conversion = try ColorConversion(from: profile, format: format)
    made[format] = .some(conversion)
    return conversion
  }
}
