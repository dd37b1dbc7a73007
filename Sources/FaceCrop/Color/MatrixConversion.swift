/// A conversion to sRGB from RGB with curves and colorants, or from gray with a curve. It differs from Little CMS's
/// perceptual result by at most one level. The one from sRGB to RGB clips colors outside of the other space.
struct MatrixConversion {
  /// The light that each sample value adds to sRGB's red, green, and blue (and a zero), in 1/64 of ``SRGB/steps``. One
  /// or three channels have 256 entries each.
  private let additions: [Int32]
  /// The level of each step of light, as ``SRGB/levels``: one table, or one for each channel.
  private let levels: [UInt8]
  private let isGray: Bool

  /// The bytes of the tables. The table of levels is shared.
  static let bytes = 3 * 256 * 4 * MemoryLayout<Int32>.size + SRGB.steps + 4_096

  /// The bytes of its own tables.
  var usedBytes: Int { additions.count * MemoryLayout<Int32>.size }

  private static let scale = Double(64 * SRGB.steps)
  /// The luminances of a black point. Little CMS 2.16 treats darker ones as black, and ignores those above a lightness
  /// of 50, such as of a descending curve.
  private static let blacks = 0.000_455...0.184_186_518_51

  init(gray curve: ToneCurve) {
    let lights = curve.lights
    let black = Self.black(lights[0])
    (isGray, levels) = (true, SRGB.levels)
    additions = lights.flatMap { [Int32](repeating: Self.fixed(($0 - black) / (1 - black)), count: 4) }
  }

  /// Creates a conversion from the XYZ of the three colorants.
  init(_ curves: [ToneCurve], colorants: [[Double]]) {
    let lights = curves.map(\.lights)
    let black = Self.black((0..<3).reduce(0) { $0 + colorants[$1][1] * lights[$1][0] })
    (isGray, levels) = (false, SRGB.levels)
    additions = (0..<3).flatMap { channel in
      let shares = SRGB.fromXYZ * colorants[channel]
      return lights[channel].flatMap { light in
        // The darkest color becomes black, by a third in each channel.
        shares.map { Self.fixed(($0 * min(max(light, -1), 4) - black / 3) / (1 - black)) } + [0]
      }
    }
  }

  /// Creates the conversion from sRGB; nil if the colorants do not span a color space.
  init?(to curves: [ToneCurve], colorants: [[Double]]) {
    let shares = (SRGB.fromXYZ * Matrix3(columns: colorants)).inverse
    guard shares.rows.joined().allSatisfy({ abs($0) < 100 }) else { return nil }
    isGray = false
    additions = (0..<3).flatMap { channel in
      (0...255).flatMap { level in shares.rows.map { Self.fixed($0[channel] * SRGB.light(level)) } + [0] }
    }
    levels = curves.map(\.lights).flatMap { lights in
      var level = 0
      return (0...SRGB.steps).map { step in
        while level < 255, lights[level] + lights[level + 1] < 2 * Double(step) / Double(SRGB.steps) { level += 1 }
        return UInt8(level)
      }
    }
  }

  /// Returns the luminance of the darkest color; 0 if it is nearly black, or far from it.
  private static func black(_ luminance: Double) -> Double {
    blacks.contains(luminance) ? luminance : 0
  }

  private static func fixed(_ light: Double) -> Int32 { Int32((scale * min(max(light, -256), 256)).rounded()) }

  /// Converts pixels: gray for a curve of gray, else RGB or RGBA with unchanged alpha.
  func convert(_ pixels: UnsafeMutableBufferPointer<UInt8>, format: PixelBuffer.Format) {
    precondition(isGray == (format == .gray), "pixels of another kind")
    guard let first = pixels.baseAddress else { return }
    let channels = format.channels
    unsafe additions.withUnsafeBufferPointer { additions in
      unsafe levels.withUnsafeBufferPointer { levels in
        let (reds, redLevels) = (additions.baseAddress!, levels.baseAddress!)
        let (greens, blues) = unsafe isGray ? (reds, reds) : (reds + 4 * 256, reds + 4 * 512)
        let table = levels.count > SRGB.levels.count ? SRGB.levels.count : 0
        let (greenLevels, blueLevels) = unsafe (redLevels + table, redLevels + 2 * table)
        // Pointers instead of vectors, because unoptimized test builds would take minutes.
        for place in 0..<pixels.count / channels {
          let pixel = unsafe first + place * channels
          let red = unsafe reds + 4 * Int(pixel[0])
          if channels == 1 {
            unsafe pixel[0] = redLevels[Self.step(red[0])]
          } else {
            let green = unsafe greens + 4 * Int(pixel[1])
            let blue = unsafe blues + 4 * Int(pixel[2])
            unsafe pixel[0] = redLevels[Self.step(red[0] &+ green[0] &+ blue[0])]
            unsafe pixel[1] = greenLevels[Self.step(red[1] &+ green[1] &+ blue[1])]
            unsafe pixel[2] = blueLevels[Self.step(red[2] &+ green[2] &+ blue[2])]
          }
        }
      }
    }
  }

  /// Returns the index in ``SRGB/levels`` of a light, rounded and clamped.
  @inline(__always) private static func step(_ light: Int32) -> Int {
    let step = (light &+ 32) &>> 6
    return step < 0 ? 0 : step > SRGB.steps ? SRGB.steps : Int(step)
  }
}
