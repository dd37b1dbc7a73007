import TestSupport

@testable import FaceCrop

/// A target that applies an image's color profile, and copies it to every format that supports profiles.
///
/// Promises: colors are the same each time, alpha is unchanged, and the copied profile is the cleaned one. Little CMS uses
/// at most the estimated memory. A profile that is not used causes no conversion and appears in no output.
enum ProfileTarget {
  /// Runs a profile; the last byte selects the pixels.
  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let last = bytes.last, bytes.count > smallest else { return }
    let profile = Array(bytes.dropLast())
    do {
      switch last & 3 {
      case 0: try check(fitting(profile, "GRAY"), for: .gray, written: [.jpeg(quality: 50), .png])
      case 1: try check(fitting(profile, "RGB "), for: .rgb, written: [.jpeg(quality: 50), .png, .webp(quality: 50)])
      case 2: try check(fitting(profile, "RGB "), for: .rgba, written: [.png, .webpLossless])
      default: try checkInks(fitting(profile, "CMYK"))
      }
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding("a profile ends in an error: \(error)")
    }
  }

  private static func check(
    _ profile: [UInt8], for format: PixelBuffer.Format, written outputs: [OutputFormat]
  ) throws {
    let pattern = Pixels.testPattern(width: 23, height: 3, channels: format.channels)
    let colors = PixelBuffer(
      size: PixelSize(width: pattern.width, height: pattern.height), format: format, bytes: pattern.samples)
    let job = Observer().job(limits: Limits())
    let space = format == .gray ? ICCProfile.Space.gray : .rgb
    let conversion = try ColorConversion(from: profile, format: format)
    try Finding.unless(conversion == nil || ICCProfile.fits(profile, space), "a conversion by a profile of no use")
    if let conversion {
      try checkMemory(conversion.usedBytes, ICCProfile.conversionBytes(profile, space))
      let converted = try conversion.converted(colors, job: job)
      try Finding.unless(converted.size == colors.size && converted.format == format, "a picture of another kind")
      try Finding.unless(try conversion.converted(colors, job: job) == converted, "other colors at the second time")
      if format == .rgba {
        let alphas = stride(from: 3, to: colors.bytes.count, by: 4)
        try Finding.unless(alphas.allSatisfy { converted.bytes[$0] == colors.bytes[$0] }, "another alpha")
      }
    }
    let input = EncoderInput(pixels: colors, colorProfile: profile)
    for output in outputs {
      let file = try Codecs.encode(input, as: output, background: .white, job: job)
      let read = try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: false, job: job) {
        $0.header.profile
      }
      try Finding.unless(read == ICCProfile.cleaned(profile, space), "another profile in \(output)")
    }
  }

  private static func checkInks(_ profile: [UInt8]) throws {
    guard let conversion = try InkConversion(from: profile) else { return }
    try checkMemory(conversion.usedBytes, ICCProfile.conversionBytes(profile, .cmyk))
    let inks = Pixels.testPattern(width: 23, height: 3, channels: 4).samples
    func colors() -> [UInt8] {
      unsafe [UInt8](unsafeUninitializedCapacity: inks.count / 4 * 3) { colors, count in
        unsafe inks.withUnsafeBufferPointer { unsafe conversion.convert($0, to: colors) }
        count = inks.count / 4 * 3
      }
    }
    try Finding.unless(colors() == colors(), "other colors at the second time")
  }

  /// Checks for a margin, since memory close to the estimate could exceed it.
  private static func checkMemory(_ used: Int, _ counted: Int) throws(Finding) {
    try Finding.unless(used <= counted * 9 / 10, "\(used) bytes for a conversion, counted are \(counted)")
  }

  /// Bytes of the header.
  private static let smallest = 128

  /// Returns the profile with a valid header, which random bytes would hardly have.
  private static func fitting(_ bytes: [UInt8], _ space: String) -> [UInt8] {
    var profile = bytes
    for place in 0..<4 { profile[place] = UInt8(truncatingIfNeeded: bytes.count >> (24 - 8 * place)) }
    profile.replaceSubrange(16..<20, with: Array(space.utf8))
    profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
    return profile
  }
}
