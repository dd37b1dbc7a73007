/// Builds small but valid ICC profiles (version 2.4), and splits them into APP2 segments.
public enum ICCBuilder {
  public enum Space: Sendable, CaseIterable {
    /// A display profile with sRGB's primaries and gamma 2.2.
    case rgb
    /// A display profile with Display P3's primaries: other colors for the same samples.
    case displayP3
    /// A display profile with gamma 2.2.
    case gray
    /// A printer profile with coarse tables.
    case cmyk
  }

  /// Returns a profile. `padding` bytes in a table that is not used make it as large as a test needs.
  public static func profile(_ space: Space, description: String = "Fixture", padding: Int = 0) -> [UInt8] {
    var tags: [Tag] = [
      ("desc", textDescription(description)),
      ("cprt", type("text") + Array("No copyright".utf8) + [0]),
      ("wtpt", xyz(0.9642, 1, 0.8249)),
    ]
    switch space {
    case .rgb:
      tags += [
        ("rXYZ", xyz(0.4360, 0.2225, 0.0139)), ("gXYZ", xyz(0.3851, 0.7169, 0.0971)),
        ("bXYZ", xyz(0.1431, 0.0606, 0.7141)),
      ]
    case .displayP3:
      tags += [
        ("rXYZ", xyz(0.5151, 0.2412, -0.0011)), ("gXYZ", xyz(0.2919, 0.6922, 0.0419)),
        ("bXYZ", xyz(0.1572, 0.0666, 0.7841)),
      ]
    case .gray:
      tags.append(("kTRC", gamma))
    case .cmyk:
      // A printer profile must have each table for each rendering intent.
      tags += ["A2B0", "A2B1", "A2B2"].map { ($0, inksToLab) }
      tags += ["B2A0", "B2A1", "B2A2"].map { ($0, labToInks) }
      tags.append(("gamt", table(inputs: 3, outputs: 1) { _ in [0] }))
    }
    if space == .rgb || space == .displayP3 { tags += ["rTRC", "gTRC", "bTRC"].map { ($0, gamma) } }
    if padding > 0 {
      let outputs = space == .gray ? 1 : space == .cmyk ? 4 : 3
      var side = 2
      while outputs * side * side * side < padding { side += 1 }
      let name = space == .cmyk ? "B2D3" : "B2A0"
      tags.append(
        (
          name,
          table(inputs: 3, outputs: outputs, side: side) { place in
            (0..<outputs).map { UInt8((place[$0 % 3] * 13 + place[($0 + 1) % 3]) * 255 / (14 * (side - 1))) }
          }
        ))
    }
    return assemble(space, tags)
  }

  /// Returns a display profile with `count` more tags that share most of their bytes.
  public static func overlappingTags(_ count: Int, bytes: Int) -> [UInt8] {
    var file = profile(
      of: [("rXYZ", xyz(0.5, 0.2, 0)), ("gXYZ", xyz(0.3, 0.7, 0)), ("bXYZ", xyz(0.2, 0.1, 0.8))]
        + ["rTRC", "gTRC", "bTRC"].map { ($0, gamma) }
        + (6..<count).map {
          ("T\($0)abc".prefix(4).description, $0 == 6 ? [UInt8](repeating: 0, count: bytes) : [0, 0, 0, 0])
        },
      "mntr", "RGB ", "XYZ ")
    let first = 132 + 12 * 6
    let start = file[first + 4..<first + 8].reduce(0) { $0 << 8 | Int($1) }
    for tag in 7..<count {
      let place = 132 + 12 * tag + 4
      let own = UInt32(start + 4 * tag).bigEndianBytes + UInt32(bytes - 4 * tag).bigEndianBytes
      file.replaceSubrange(place..<place + 8, with: own)
    }
    return file
  }

  /// Splits a profile into numbered APP2 segments of at most `chunkSize` profile bytes.
  ///
  /// `order` lists the chunks to write, 0 for the first, in order: omit or repeat some to lose or duplicate them.
  /// Numbers, from 1, and total stay those of the whole profile.
  public static func segments(
    for profile: [UInt8], chunkSize: Int = 65519, order: [Int]? = nil
  ) -> [MarkerSegment] {
    precondition((1...65519).contains(chunkSize), "a chunk holds 1...65519 bytes")
    let starts = Array(stride(from: 0, to: profile.count, by: chunkSize))
    precondition(starts.count <= 255, "more than 255 chunks")
    return (order ?? Array(starts.indices)).map { index in
      let chunk = profile[starts[index]..<min(starts[index] + chunkSize, profile.count)]
      return .app(2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(starts.count)] + chunk)
    }
  }

  // MARK: Layout

  private static func assemble(_ space: Space, _ tags: [Tag]) -> [UInt8] {
    switch space {
    case .rgb, .displayP3: profile(of: tags, "mntr", "RGB ", "XYZ ")
    case .gray: profile(of: tags, "mntr", "GRAY", "XYZ ")
    case .cmyk: profile(of: tags, "prtr", "CMYK", "Lab ")
    }
  }

  public typealias Tag = (signature: String, data: [UInt8])

  /// Returns any profile, valid or invalid.
  public static func profile(
    of tags: [Tag], _ deviceClass: String, _ colorSpace: String, _ connection: String, version: UInt32 = 0x0240_0000
  ) -> [UInt8] {
    var directory = UInt32(tags.count).bigEndianBytes
    var data: [UInt8] = []
    let dataOffset = 128 + 4 + 12 * tags.count
    for tag in tags {
      directory += Array(tag.signature.utf8) + UInt32(dataOffset + data.count).bigEndianBytes
      directory += UInt32(tag.data.count).bigEndianBytes
      data += tag.data
      // Tags begin at multiples of four.
      data += [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
    }

    var header = UInt32(dataOffset + data.count).bigEndianBytes
    header += UInt32(0).bigEndianBytes  // no preferred color management module
    header += version.bigEndianBytes
    header += Array((deviceClass + colorSpace + connection).utf8)
    header += [2026, 1, 1, 0, 0, 0].flatMap { UInt16($0).bigEndianBytes }
    header += Array("acsp".utf8)
    // Platform, flags, manufacturer, model, attributes and intent: none, none, none, none, none, perceptual.
    header += [UInt8](repeating: 0, count: 4 + 4 + 4 + 4 + 8 + 4)
    header += [0.9642, 1, 0.8249].flatMap(fixed)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + directory + data
  }

  fileprivate static func type(_ signature: String) -> [UInt8] {
    Array(signature.utf8) + [0, 0, 0, 0]
  }

  fileprivate static func fixed(_ value: Double) -> [UInt8] {
    Int32((value * 65536).rounded()).bigEndianBytes
  }

  private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    type("XYZ ") + [x, y, z].flatMap(fixed)
  }

  /// 2.2, in 1/256.
  private static let gamma = Curve.gamma(2.2).tag

  /// A tone curve.
  public enum Curve: Sendable {
    /// A power of the sample, in 1/256.
    case gamma(Double)
    case sampled([UInt16])
    /// Parameters of a function's type, from g on.
    case parametric(UInt16, [Double])
    /// The identity.
    case none

    public var tag: [UInt8] {
      switch self {
      case .gamma(let gamma):
        type("curv") + UInt32(1).bigEndianBytes + UInt16((gamma * 256).rounded()).bigEndianBytes
      case .sampled(let entries):
        type("curv") + UInt32(entries.count).bigEndianBytes + entries.flatMap(\.bigEndianBytes)
      case .parametric(let function, let numbers):
        type("para") + function.bigEndianBytes + [0, 0] + numbers.flatMap(fixed)
      case .none: type("curv") + UInt32(0).bigEndianBytes
      }
    }
  }

  /// Returns a display profile with the given colorants, XYZ each.
  public static func matrix(_ colorants: [[Double]], _ curves: [Curve], version: UInt32 = 0x0240_0000) -> [UInt8] {
    let colors = zip(["rXYZ", "gXYZ", "bXYZ"], colorants).map { Tag($0, xyz($1[0], $1[1], $1[2])) }
    let tones = zip(["rTRC", "gTRC", "bTRC"], curves).map { Tag($0, $1.tag) }
    return profile(of: colors + tones, "mntr", "RGB ", "XYZ ", version: version)
  }

  public static func gray(_ curve: Curve, version: UInt32 = 0x0240_0000) -> [UInt8] {
    profile(of: [("kTRC", curve.tag)], "mntr", "GRAY", "XYZ ", version: version)
  }

  /// The same profile with the types of tags that Corbis's and Monaco's programs wrote, which are none of the specification's: those of
  /// the lights' colors, and those of curves.
  public static func withBrokenTypes(_ profile: [UInt8], colors: Bool, curves: Bool) -> [UInt8] {
    var profile = profile
    for entry in stride(from: 132, to: 132 + 12 * Int(profile[131]), by: 12) {
      let signature = String(decoding: profile[entry..<entry + 4], as: UTF8.self)
      let start = profile[entry + 4..<entry + 8].reduce(0) { $0 << 8 | Int($1) }
      let type: UInt32? =
        colors && signature.hasSuffix("XYZ") ? 0x17A5_05B8 : curves && signature.hasSuffix("TRC") ? 0x9478_EE00 : nil
      if let type { profile.replaceSubrange(start..<start + 4, with: type.bigEndianBytes) }
    }
    return profile
  }

  private static func textDescription(_ text: String) -> [UInt8] {
    let ascii = Array(text.utf8) + [0]
    // After the ASCII text: an empty Unicode and an empty Macintosh description.
    return type("desc") + UInt32(ascii.count).bigEndianBytes + ascii + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)
  }

  // MARK: Tables

  /// Returns an 8-bit table with `side` grid points an axis; `color` maps a point's coordinates to the output.
  private static func table(inputs: Int, outputs: Int, side: Int = 2, _ color: ([Int]) -> [UInt8]) -> [UInt8] {
    let identity = (0...255).map { UInt8($0) }
    var bytes = type("mft1") + [UInt8(inputs), UInt8(outputs), UInt8(side), 0]
    bytes += [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
    for _ in 0..<inputs { bytes += identity }
    var point = [Int](repeating: 0, count: inputs)
    repeat {
      bytes += color(point)
      // The first input varies slowest.
      var axis = inputs - 1
      while axis >= 0, point[axis] == side - 1 {
        point[axis] = 0
        axis -= 1
      }
      if axis >= 0 { point[axis] += 1 }
    } while point.contains { $0 > 0 }
    for _ in 0..<outputs { bytes += identity }
    return bytes
  }

  /// Rough Lab values of the inks' overprints, 8-bit encoded: L in 255/100, a and b with 128 for 0.
  private static let inksToLab = table(inputs: 4, outputs: 3) { inks in
    if inks[3] == 1 { return [20, 128, 128] }
    switch (inks[0], inks[1], inks[2]) {
    case (0, 0, 0): return [255, 128, 128]
    case (0, 0, 1): return [235, 122, 218]
    case (0, 1, 0): return [122, 202, 125]
    case (0, 1, 1): return [120, 196, 176]
    case (1, 0, 0): return [140, 91, 78]
    case (1, 0, 1): return [128, 60, 155]
    case (1, 1, 0): return [61, 150, 82]
    default: return [51, 128, 128]
    }
  }

  /// Only black, by lightness.
  private static let labToInks = table(inputs: 3, outputs: 4) { lab in [0, 0, 0, lab[0] == 1 ? 0 : 255] }
}
