#if HEIF
  /// The units of an AV1 image (AV1 specification, 5.3).
  enum AV1Units {
    /// The upper bound of units: each of an image's 4,096 tiles may be one (AV1, annex A.3), and as many others.
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
        guard let length = length(at: &place, byte: { bytes.byte(at: $0) }), length <= bytes.count - place else {
          return
        }
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
          guard let length = length(at: &place, byte: { bytes.byte(at: $0) }), length <= end - place else { return nil }
          end = place + length
        }
        if header >> 3 & 15 == 1, place <= end { return units[place..<end] }
        place = end
      }
      return nil
    }

    /// Reads a number with seven bits per byte (4.10.5); nil if it is invalid.
    static func length(at place: inout Int, byte: (Int) -> UInt8?) -> Int? {
      var value = 0
      for index in 0..<8 {
        guard let part = byte(place) else { return nil }
        place += 1
        value |= Int(part & 0x7F) << (7 * index)
        if part & 0x80 == 0 { return value }
      }
      return nil
    }
  }

  /// The frames of a still image, from the headers of its units (5.9.2). dav1d decodes them in one call. Each may stay
  /// in memory, even if it is never shown.
  struct AV1Still {
    /// The upper bound of frames: a scalable image shows up to four layers, one above the other. Others need one frame.
    static let mostFrames = 4
    /// The upper bound of units that are read before decoding. Encoders write up to ten.
    private static let mostUnits = 256

    /// The frames so far, the hidden ones included.
    private(set) var frames = 0
    /// Whether frames have no flags, because all are shown.
    private var isReduced = false
    /// The layer of the last frame that is shown.
    private var shownLayer: Int?
    /// Whether the next image has begun.
    private var isEnded = false

    /// Reads units up to the next image, and returns the end of this one.
    ///
    /// - Parameter byte: returns a byte of the units; nil after their end.
    mutating func read(_ job: Job, byte: (Int) -> UInt8?) throws(FaceCropError) -> Int {
      var place = 0
      for _ in 0..<Self.mostUnits {
        try job.step()
        let start = place
        guard !isEnded, let header = byte(place) else { return start }
        let hasExtension = header & 4 != 0
        let layer = hasExtension ? Int((byte(place + 1) ?? 0) >> 3 & 3) : 0
        place += hasExtension ? 2 : 1
        var length: Int?
        if header & 2 != 0 {
          length = AV1Units.length(at: &place, byte: byte)
          guard length != nil else { return place }
        }
        guard take(Int(header >> 3 & 15), layer, byte(place) ?? 0) else { return start }
        // A unit without a length is the last.
        guard let length else { return .max }
        place += length
      }
      return .max
    }

    /// Takes a unit with its first byte. Returns false if it belongs to the next image.
    private mutating func take(_ type: Int, _ layer: Int, _ first: UInt8) -> Bool {
      switch type {
      case 1: isReduced = first & 0x08 != 0
      case 2: isEnded = shownLayer != nil
      case 3, 6:
        // Only a higher layer of the same image follows a shown frame.
        if let shownLayer, layer <= shownLayer {
          isEnded = true
          return false
        }
        // A header without a frame shows an earlier one again.
        let isRepeated = type == 3 && !isReduced && first & 0x80 != 0
        if !isRepeated { frames += 1 }
        if isReduced || isRepeated || first & 0x10 != 0 { shownLayer = layer }
      default: break
      }
      return !isEnded
    }

    /// Throws ``FaceCropError/unsupported(_:)`` for more frames than an image needs.
    func check() throws(FaceCropError) {
      guard frames <= Self.mostFrames else {
        throw .unsupported("a still image has more than \(Self.mostFrames) AV1 frames")
      }
    }
  }
#endif
