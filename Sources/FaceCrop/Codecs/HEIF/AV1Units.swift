#if HEIF
  /// The units of an AV1 image (AV1 specification, 5.3).
  enum AV1Units {
    /// The upper bound of units: each of an image's 4,096 tiles may be one (AV1 specification, annex A.3), and as many
    /// others.
    private static let most = 8_192

    /// Checks the number of units, because dav1d reads all of them in one call that cannot be cancelled.
    static func check(_ units: [UInt8], _ job: Job) throws(FaceCropError) {
      let bytes = units.span
      var (place, count) = (0, 0)
      while let header = bytes.byte(at: place) {
        try job.step()
        count += 1
        guard count <= most else { throw .corrupt("an image has more than \(most) AV1 units") }
        // A unit without a length is the last.
        guard header & 2 != 0 else { return }
        place += header & 4 == 0 ? 1 : 2
        guard let length = length(bytes, at: &place), length <= bytes.count - place else { return }
        place += length
      }
    }

    /// Returns the content of the first sequence header (5.5); nil for none.
    static func sequence(in units: [UInt8]) -> ArraySlice<UInt8>? {
      let bytes = units.span
      var place = 0
      while let header = bytes.byte(at: place) {
        place += header & 4 == 0 ? 1 : 2
        var end = bytes.count
        if header & 2 != 0 {
          guard let length = length(bytes, at: &place), length <= end - place else { return nil }
          end = place + length
        }
        if header >> 3 & 15 == 1, place <= end { return units[place..<end] }
        place = end
      }
      return nil
    }

    /// Reads a number with seven bits per byte (4.10.5); nil if it is invalid.
    private static func length(_ bytes: Span<UInt8>, at place: inout Int) -> Int? {
      var value = 0
      for index in 0..<8 {
        guard let byte = bytes.byte(at: place) else { return nil }
        place += 1
        value |= Int(byte & 0x7F) << (7 * index)
        if byte & 0x80 == 0 { return value }
      }
      return nil
    }
  }
#endif
