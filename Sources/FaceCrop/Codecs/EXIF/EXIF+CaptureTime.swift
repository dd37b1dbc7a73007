extension EXIF {
  /// The capture time, or else the time of the last edit, in seconds since 1970 UTC; nil if both are missing. Without a
  /// time zone it is taken as UTC.
  var captureTime: Double? { originalTime ?? text(EXIFTags.dateTime, in: .main).flatMap(Self.seconds) }

  /// The capture time alone.
  var originalTime: Double? {
    text(EXIFTags.dateTimeOriginal, in: .exif).flatMap(Self.seconds).map { time in
      let offset = text(EXIFTags.offsetTimeOriginal, in: .exif).flatMap(Self.offset) ?? 0
      let digits = text(EXIFTags.subSecondsOriginal, in: .exif)?.prefix { (48...57).contains($0) } ?? []
      let fraction = digits.prefix(9).reversed().reduce(0.0) { ($0 + Double($1 - 48)) / 10 }
      return time - offset + fraction
    }
  }

  /// The day of ``captureTime`` by the camera's own clock, as YYYY-MM-DD.
  var captureDay: String? {
    let time = [text(EXIFTags.dateTimeOriginal, in: .exif), text(EXIFTags.dateTime, in: .main)].compactMap { $0 }
      .first { Self.seconds($0) != nil }
    return time.map { text in
      String(
        decoding: text.prefix { $0 != UInt8(ascii: " ") }.map { $0 == UInt8(ascii: ":") ? UInt8(ascii: "-") : $0 },
        as: UTF8.self)
    }
  }

  /// Returns the seconds from 1970 to "YYYY:MM:DD HH:MM:SS" in UTC.
  private static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
    let parts = text.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: " ") }
    let numbers = parts.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard parts.count == 6, numbers.count == 6, (1...9_999).contains(numbers[0]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2]), (0...23).contains(numbers[3]), (0...59).contains(numbers[4]),
      (0...60).contains(numbers[5])
    else { return nil }
    // Days since 1970-01-01 in the Gregorian calendar. Years start in March, so that the leap day is the last.
    let year = numbers[1] > 2 ? numbers[0] : numbers[0] - 1
    let month = (numbers[1] + 9) % 12
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + numbers[2] - 719_469
    return Double(days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5])
  }

  /// Returns the seconds of the time zone "+HH:MM".
  private static func offset(_ text: ArraySlice<UInt8>) -> Double? {
    let text = String(decoding: text, as: UTF8.self)
    guard let sign = ["+": 1.0, "-": -1.0][text.prefix(1)] else { return nil }
    let numbers = text.dropFirst().split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2, (0...14).contains(numbers[0]), (0...59).contains(numbers[1]) else { return nil }
    return sign * Double(numbers[0] * 3_600 + numbers[1] * 60)
  }
}
