extension EXIF {
  /// Returns the data that a policy copies to a crop, written anew as a TIFF structure; nil without data. The size is
  /// as stored. The orientation is the only data under ``MetadataPolicy/strip``. After a conversion, the colors are
  /// sRGB. The resolution is in pixels per inch; nil keeps the existing one.
  func kept(
    by policy: MetadataPolicy, size: PixelSize, orientation: Orientation = .up, colorsAreConverted: Bool = false,
    resolution: Double? = nil
  ) -> [UInt8]? {
    var crop = EXIF(order)
    switch policy {
    case .strip: break
    case .copyright:
      let kept = [EXIFTags.artist, EXIFTags.copyright] + Self.resolutionTags
      crop.values[.main] = values[.main]?.filter { kept.contains($0.key) }
    case .keep:
      crop.values = values
      crop.replace(EXIFTags.imageWidth, in: .main, by: crop.long(size.width))
      crop.replace(EXIFTags.imageLength, in: .main, by: crop.long(size.height))
      crop.replace(EXIFTags.pixelWidth, in: .exif, by: crop.long(size.width))
      crop.replace(EXIFTags.pixelHeight, in: .exif, by: crop.long(size.height))
      if colorsAreConverted { crop.sayColorsAreSRGB() }
    }
    if let resolution, Self.resolutionTags.contains(where: { crop.values[.main]?[$0] != nil }) {
      crop.say(resolution: resolution)
    }
    if orientation != .up { crop.values[.main, default: [:]][EXIFTags.orientation] = crop.short(1) }
    crop.replace(EXIFTags.orientation, in: .main, by: crop.short(orientation.rawValue))
    return crop.written()
  }

  /// Returns a TIFF structure without the GPS position; nil if nothing else is in it.
  static func withoutLocation(_ tiff: [UInt8]) -> [UInt8]? {
    guard var exif = EXIF(tiff) else { return nil }
    exif.values[.gps] = nil
    return exif.written()
  }

  /// Replaces the artist and the copyright, where both sides have one. A text that is too long, or no text, removes the
  /// tag.
  mutating func replaceCredits(by credits: Credits) {
    // The separator is that of the Metadata Working Group (Guidelines for Handling Image Metadata 2.0, section 5).
    let artist = credits.creators.isEmpty ? nil : credits.creators.joined(separator: "; ")
    for (tag, text) in [(EXIFTags.artist, artist), (EXIFTags.copyright, credits.copyrightNotice)] {
      guard let text, values[.main]?[tag] != nil else { continue }
      values[.main]?[tag] = CreditText.isKept(text) ? Value(type: .ascii, bytes: Array(text.utf8) + [0]) : nil
    }
    if artist != nil { values[.main]?[EXIFTags.windowsAuthor] = nil }
  }

  private mutating func replace(_ tag: Int, in directory: Directory, by value: Value) {
    if values[directory]?[tag] != nil { values[directory]?[tag] = value }
  }

  private mutating func sayColorsAreSRGB() {
    // The code 1 means sRGB.
    replace(EXIFTags.colorSpace, in: .exif, by: short(1))
    values[.exif]?[EXIFTags.gamma] = nil
    values[.main]?[EXIFTags.whitePoint] = nil
    values[.main]?[EXIFTags.primaryChromaticities] = nil
    // The interoperability index also names a color space.
    values[.interoperability] = nil
  }

  func short(_ number: Int) -> Value { Value(type: .short, bytes: written(number, bytes: 2)) }
  func rational(_ dividend: Int, _ divisor: Int) -> Value {
    Value(type: .rational, bytes: written(dividend, bytes: 4) + written(divisor, bytes: 4))
  }
  func long(_ number: Int) -> Value { Value(type: .long, bytes: written(number, bytes: 4)) }

  private func written(_ number: Int, bytes count: Int) -> [UInt8] { [UInt8](number, count: count, order) }

  // MARK: Directories

  /// Returns the data as a TIFF structure; nil without entries.
  func written() -> [UInt8]? {
    guard values.contains(where: { !$0.value.isEmpty }) else { return nil }
    let header = header(first: 8)
    return header + written(at: header.count)
  }

  /// Returns the header of a file with its first directory at an offset.
  func header(first directory: Int) -> [UInt8] {
    Array((order == .littleEndian ? "II" : "MM").utf8) + written(42, bytes: 2) + written(directory, bytes: 4)
  }

  /// Returns the directories for an offset in the file.
  func written(at start: Int) -> [UInt8] {
    var directories = values.filter { !$0.value.isEmpty }
    // The inner links come first, because a link can create its directory.
    let links: [(Directory, tag: Int, of: Directory)] = [
      (.exif, EXIFTags.interoperabilityDirectory, .interoperability), (.main, EXIFTags.exifDirectory, .exif),
      (.main, EXIFTags.gpsDirectory, .gps),
    ]
    // The links between directories must exist before their sizes are computed. Their offsets follow below, without
    // changing the sizes.
    for (directory, tag, inner) in links where directories[inner] != nil {
      directories[directory, default: [:]][tag] = long(0)
    }

    var end = start
    var offsets: [Directory: Int] = [:]
    for directory in Directory.allCases {
      guard let values = directories[directory] else { continue }
      offsets[directory] = end
      end += written(values, at: end).count
    }
    for (directory, tag, inner) in links {
      if let offset = offsets[inner] { directories[directory]?[tag] = long(offset) }
    }
    return Directory.allCases.reduce(into: []) { bytes, directory in
      if let values = directories[directory] { bytes += written(values, at: offsets[directory] ?? 0) }
    }
  }

  private func written(_ values: [Int: Value], at offset: Int) -> [UInt8] {
    TIFFFile.Kind(order).directory(
      values.map { tag, value in (tag, value.type.rawValue, value.count, value.bytes) }, at: offset)
  }
}
