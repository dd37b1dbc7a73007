import CColorFixtures

/// Samples in sRGB, or gray with its curve, as Little CMS converts them.
///
/// - Parameters:
///   - channels: 1 or 3.
///   - isExact: by every step for each pixel; else by the tables that it makes of them.
public func referenceConvert(
  _ samples: [UInt8], channels: Int, profile: [UInt8], isExact: Bool
) throws -> [UInt8] {
  var converted = samples
  let isDone = unsafe fc_reference_convert(
    profile, profile.count, Int32(channels), isExact ? 1 : 0, samples, &converted, samples.count / channels)
  guard isDone == 1 else { throw FixtureError("a profile that leads nowhere") }
  return converted
}

/// Of Little CMS, as in its header: 2140 for 2.14.
public let referenceColorVersion = Int(fc_reference_color_version())
