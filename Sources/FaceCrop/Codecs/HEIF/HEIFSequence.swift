#if HEIF
  /// The number of images in a file's tracks (its `moov` box; ISO/IEC 14496-12, 8.2).
  enum HEIFSequence {
    private static let containers: Set<FourCharacterCode> = ["trak", "mdia", "minf", "stbl"]
    /// The upper bound of boxes, far more than tracks of images have.
    private static let mostBoxes = 1_000

    /// Returns the number of images in the longest track; 0 without tracks. An invalid box ends the reading.
    ///
    /// - Parameter movie: the content of the box.
    static func frameCount(in bytes: Span<UInt8>, _ movie: Range<Int>, _ job: Job) throws(FaceCropError) -> Int {
      var waiting = [movie.clamped(to: 0..<bytes.count)]
      var (boxes, most) = (0, 0)
      while let part = waiting.popLast() {
        var place = part.lowerBound
        while place < part.upperBound, let box = try? BoxHeader(in: bytes, at: place) {
          try job.step()
          boxes += 1
          guard boxes <= mostBoxes, box.content.upperBound <= part.upperBound else { return most }
          if containers.contains(box.type) { waiting.append(box.content) }
          // The sizes of samples: the number follows the version and a common size (8.7.3).
          if box.type == "stsz" || box.type == "stz2", box.content.count >= 12 {
            most = max(most, bytes.uint32(at: box.content.lowerBound + 8) ?? 0)
          }
          place = box.content.upperBound
        }
      }
      return most
    }
  }
#endif
