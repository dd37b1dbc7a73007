internal import CColorShim

extension ICCProfile {
  /// Returns an ICC profile for RGB with coding-independent code points (ITU-T H.273); empty for sRGB and for
  /// unspecified code points, nil for unknown ones.
  ///
  /// PQ and HLG become standard range: light up to half of diffuse white (203 cd/m², ITU-R BT.2408) is unchanged, and
  /// brighter light is rolled off.
  static func coded(primaries: Int, transfer: Int) throws(FaceCropError) -> [UInt8]? {
    try unsafe made { profile in
      unsafe fccolor_profile_from_nclx(UInt16(clamping: primaries), UInt16(clamping: transfer), profile)
    }
  }

  /// Returns an ICC profile for an RGB display; empty for invalid numbers, and for sRGB. `gamma` is its exponent, and
  /// `primaries` are CIE x and y of white, red, green, and blue. Both are sRGB's for nil.
  static func of(gamma: Double?, primaries: [Double]?) throws(FaceCropError) -> [UInt8] {
    guard let xy = primaries else {
      guard let gamma else { return [] }
      return try unsafe made { profile in unsafe fccolor_profile_from_gamma(gamma, nil, profile) } ?? []
    }
    var numbers = FCColorPrimaries(xy: (xy[0], xy[1], xy[2], xy[3], xy[4], xy[5], xy[6], xy[7]))
    return try unsafe made { profile in unsafe fccolor_profile_from_gamma(gamma ?? 0, &numbers, profile) } ?? []
  }

  /// The profile of Adobe RGB (Adobe RGB (1998) Color Image Encoding).
  static let adobeRGB: [UInt8]? = {
    let primaries = [0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06]
    guard let made = try? of(gamma: 563.0 / 256, primaries: primaries), let tags = ICCTags(made) else { return nil }
    let name = Array("Compatible with Adobe RGB (1998)".utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let numbers = ([1, 12], [name.count, 28])
    let text =
      Array("mluc\0\0\0\0".utf8) + numbers.0.flatMap { [UInt8](bigEndian: $0) } + Array("enUS".utf8)
      + numbers.1.flatMap { [UInt8](bigEndian: $0) } + name
    return tags.profile(
      of: tags.tags.map { ($0.code, $0.code == ICCTags.code("desc") ? text : Array(made[$0.range])) })
  }()

  /// Returns a profile for pixels in a space, from a checked one: the profile itself, or one that gives their grays its neutral colors.
  /// Gray pixels can have a profile for RGB, and those with alpha are RGB with a profile for gray. Nil if that is
  /// impossible.
  static func fitted(_ profile: [UInt8], to space: Space, _ job: Job) throws(FaceCropError) -> [UInt8]? {
    if profile.span.contains(space.signature, at: 16) { return profile }
    guard let own = space.counterpart, let model = ICCModel(profile, for: own) else { return nil }
    var header = profile
    header.replaceSubrange(16..<24, with: [UInt8](bigEndian: ICCTags.code(space.signature)) + Array("XYZ ".utf8))
    guard let tags = ICCTags(header), let curve = try neutralCurve(of: profile, own, model, tags, job) else {
      return nil
    }
    var made = (["desc", "cprt", "wtpt"] as [StaticString]).compactMap { name in
      tags.range(name).map { (code: ICCTags.code(name), data: Array(profile[$0])) }
    }
    guard space == .rgb else { return tags.profile(of: made + [(code: ICCTags.code("kTRC"), data: curve)]) }
    let (colorants, curves) = (["rXYZ", "gXYZ", "bXYZ"], ["rTRC", "gTRC", "bTRC"]) as ([StaticString], [StaticString])
    for (index, name) in colorants.enumerated() {
      let color = SRGB.fromXYZ.inverse.rows.flatMap { [UInt8](bigEndian: Int(($0[index] * 65_536).rounded())) }
      made.append((code: ICCTags.code(name), data: Array("XYZ \0\0\0\0".utf8) + color))
    }
    return tags.profile(of: made + curves.map { (code: ICCTags.code($0), data: curve) })
  }

  /// Returns the tag of the curve of grays: the profile's own, or one of 256 samples; nil without a conversion.
  private static func neutralCurve(
    of profile: [UInt8], _ space: Space, _ model: ICCModel, _ tags: ICCTags, _ job: Job
  ) throws(FaceCropError) -> [UInt8]? {
    let names: [StaticString] = space == .gray ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"]
    let curves = Set(names.compactMap { name in tags.range(name).map { Array(profile[$0]) } })
    if case .tables = model {} else if curves.count == 1 { return curves.first }
    let format: PixelBuffer.Format = space == .gray ? .gray : .rgb
    guard let conversion = try ColorConversion(from: profile, format: format) else { return nil }
    let grays = (0...255).flatMap { [UInt8](repeating: $0, count: format.channels) }
    let made = try conversion.converted(
      PixelBuffer(size: PixelSize(width: 256, height: 1), format: format, bytes: grays), job: job)
    let lights = made.inColor().bytes.map(SRGB.light)
    return Array("curv\0\0\0\0".utf8) + [UInt8](bigEndian: 256)
      + (0..<256).flatMap { index -> [UInt8] in
        let (red, green, blue) = (lights[3 * index], lights[3 * index + 1], lights[3 * index + 2])
        let light = Int((65_535 * (0.2126 * red + 0.7152 * green + 0.0722 * blue)).rounded())
        return [UInt8(light >> 8), UInt8(light & 255)]
      }
  }

  private static func made(_ make: (UnsafeMutablePointer<FCBytes>) -> FCStatus) throws(FaceCropError) -> [UInt8]? {
    var profile = unsafe FCBytes()
    let status = unsafe make(&profile)
    defer { unsafe fccolor_profile_free(profile) }
    if status == .outOfMemory { throw .outOfMemory }
    return unsafe status == .ok ? Array(UnsafeBufferPointer(profile)) : nil
  }
}
