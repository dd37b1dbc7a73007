extension EXIF {
  static let resolutionTags = [EXIFTags.xResolution, EXIFTags.yResolution, EXIFTags.resolutionUnit]

  /// The resolution in pixels per inch; nil if it is missing, invalid, or different along both sides.
  var resolution: Double? {
    guard let x = fraction(EXIFTags.xResolution, in: .main), x == fraction(EXIFTags.yResolution, in: .main) else {
      return nil
    }
    // The unit 2 is an inch, also the default, 3 a centimeter, and 1 has no length.
    switch number(EXIFTags.resolutionUnit, in: .main) ?? 2 {
    case 2: return Resolution.checked(x)
    case 3: return Resolution.checked(x * 2.54)
    default: return nil
    }
  }

  /// Sets the resolution in pixels per inch.
  mutating func say(resolution: Double) {
    let thousandths = Int((resolution * 1_000).rounded())
    let fraction = thousandths % 1_000 == 0 ? (thousandths / 1_000, 1) : (thousandths, 1_000)
    let value = rational(fraction.0, fraction.1)
    values[.main, default: [:]][EXIFTags.xResolution] = value
    values[.main, default: [:]][EXIFTags.yResolution] = value
    values[.main, default: [:]][EXIFTags.resolutionUnit] = short(2)
  }

  /// Returns EXIF data with a resolution, for formats without another field for it. Both may be nil.
  static func data(_ exif: [UInt8]?, saying resolution: Double?) -> [UInt8]? {
    guard let resolution else { return exif }
    var data = exif.flatMap { EXIF($0) } ?? EXIF(.bigEndian)
    data.say(resolution: resolution)
    return data.written()
  }

  private func fraction(_ tag: Int, in directory: Directory) -> Double? {
    guard let value = values[directory]?[tag], value.type == .rational, value.count == 1,
      let dividend = value.bytes.span.uint32(at: 0, order), let divisor = value.bytes.span.uint32(at: 4, order),
      divisor > 0
    else { return nil }
    return Double(dividend) / Double(divisor)
  }
}

/// The conversion of resolutions in pixels per inch.
enum Resolution {
  /// See ``CropOutput/resolutions``.
  static let range = CropOutput.resolutions

  /// Rounds to the hundredth, the accuracy of PNG's pixels per meter; nil if out of range.
  static func checked(_ perInch: Double) -> Double? {
    let rounded = (perInch * 100).rounded() / 100
    return range.contains(rounded) ? rounded : nil
  }

  /// Converts pixels per meter, and prefers a whole number per inch with the same encoding.
  static func perInch(perMeter count: Int) -> Double? {
    let exact = Double(count) * 0.0254
    return checked(perMeter(exact.rounded()) == count ? exact.rounded() : exact)
  }

  static func perMeter(_ perInch: Double) -> Int { Int((perInch / 0.0254).rounded()) }
}
