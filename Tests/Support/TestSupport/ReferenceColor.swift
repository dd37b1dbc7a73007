import CColorFixtures

/// Converts samples with Little CMS to sRGB, or to gray with its curve.
///
/// - Parameters:
///   - channels: 1 or 3.
///   - isExact: Whether to apply every step to each pixel instead of the library's tables.
public func referenceConvert(
  _ samples: [UInt8], channels: Int, profile: [UInt8], isExact: Bool
) throws -> [UInt8] {
  var converted = samples
  let isDone = unsafe fc_reference_convert(
    profile, profile.count, Int32(channels), isExact ? 1 : 0, samples, &converted, samples.count / channels)
  guard isDone == 1 else { throw FixtureError("a profile that leads nowhere") }
  return converted
}

/// The version of Little CMS in its header: 2140 for 2.14.
public let referenceColorVersion = Int(fc_reference_color_version())
