#if HEIF
  /// A file's tracks (its `moov` box; ISO/IEC 14496-12, 8.2): as far as they say how many images it has in time.
  enum HEIFSequence {
    private static let containers: Set<FourCharacterCode> = ["trak", "mdia", "minf", "stbl"]
    /// More boxes than tracks of images have.
    private static let mostBoxes = 1_000

    /// Images of the longest track; 0 where there is none. What is not as it should be ends the reading.
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
          // Sizes of samples: behind the version and a size of all of them, their number (8.7.3).
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
