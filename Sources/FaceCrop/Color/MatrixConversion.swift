/// A conversion to sRGB from RGB that a profile describes by curves and colorants, or from gray by a curve. Within one level of
/// what Little CMS makes of it, perceptually.
struct MatrixConversion {
  /// What a sample of a channel adds to the lights of sRGB, in 1/64 of ``SRGB/steps``: red, green, blue and nothing, 256 times for each
  /// of one channel or three.
  private let additions: [Int32]
  private let isGray: Bool

  /// Bytes of the tables, of which that of levels is made once.
  static let bytes = 3 * 256 * 4 * MemoryLayout<Int32>.size + SRGB.steps + 4_096

  /// Bytes of its own tables.
  var usedBytes: Int { additions.count * MemoryLayout<Int32>.size }

  private static let scale = Double(64 * SRGB.steps)
  /// Luminances that a black point has: Little CMS 2.16 takes a darker one for black itself, and one above a lightness of 50, as of a
  /// curve that goes down, for none.
  private static let blacks = 0.000_455...0.184_186_518_51

  init(gray curve: ToneCurve) {
    let lights = curve.lights
    let black = Self.black(lights[0])
    isGray = true
    additions = lights.flatMap { [Int32](repeating: Self.fixed(($0 - black) / (1 - black)), count: 4) }
  }

  /// - Parameter colorants: XYZ of the three lights.
  init(_ curves: [ToneCurve], colorants: [[Double]]) {
    let lights = curves.map(\.lights)
    let black = Self.black((0..<3).reduce(0) { $0 + colorants[$1][1] * lights[$1][0] })
    isGray = false
    additions = (0..<3).flatMap { channel in
      let shares = SRGB.fromXYZ * colorants[channel]
      return lights[channel].flatMap { light in
        // Darkest colors become black; a part of that in each channel.
        shares.map { Self.fixed(($0 * min(max(light, -1), 4) - black / 3) / (1 - black)) } + [0]
      }
    }
  }

  /// The luminance of the darkest color; 0 for one that is as good as black, or far from it.
  private static func black(_ luminance: Double) -> Double {
    blacks.contains(luminance) ? luminance : 0
  }

  private static func fixed(_ light: Double) -> Int32 { Int32((scale * min(max(light, -256), 256)).rounded()) }

  /// - Parameter format: gray for a curve of gray, else in color; alpha stays as it is.
  func convert(_ pixels: UnsafeMutableBufferPointer<UInt8>, format: PixelBuffer.Format) {
    precondition(isGray == (format == .gray), "pixels of another kind")
    guard let first = pixels.baseAddress else { return }
    let channels = format.channels
    unsafe additions.withUnsafeBufferPointer { additions in
      unsafe SRGB.levels.withUnsafeBufferPointer { levels in
        let (reds, levels) = (additions.baseAddress!, levels.baseAddress!)
        let (greens, blues) = unsafe isGray ? (reds, reds) : (reds + 4 * 256, reds + 4 * 512)
        // By pointers and without vectors, which unoptimized builds, those of tests, take minutes for.
        for place in 0..<pixels.count / channels {
          let pixel = unsafe first + place * channels
          let red = unsafe reds + 4 * Int(pixel[0])
          if channels == 1 {
            unsafe pixel[0] = levels[Self.step(red[0])]
          } else {
            let green = unsafe greens + 4 * Int(pixel[1])
            let blue = unsafe blues + 4 * Int(pixel[2])
            unsafe pixel[0] = levels[Self.step(red[0] &+ green[0] &+ blue[0])]
            unsafe pixel[1] = levels[Self.step(red[1] &+ green[1] &+ blue[1])]
            unsafe pixel[2] = levels[Self.step(red[2] &+ green[2] &+ blue[2])]
          }
        }
      }
    }
  }

  /// Which of ``SRGB/levels`` a light has, rounded; the first or the last for what is beyond.
  @inline(__always) private static func step(_ light: Int32) -> Int {
    let step = (light &+ 32) &>> 6
    return step < 0 ? 0 : step > SRGB.steps ? SRGB.steps : Int(step)
  }
}
