#if HEIF
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// Files of images in time, beside a still image or without one.
  @Suite struct HEIFSequenceTests {
    private static let pattern = Pixels.testPattern(width: 64, height: 64)

    private static func header(_ file: [UInt8]) throws -> ImageHeader {
      try withSession(file) { (session) throws(FaceCropError) in session.header }
    }

    @Test(arguments: CodedItem.Codec.allCases) func sequencesAreAnimated(codec: CodedItem.Codec) throws {
      var builder = HEIFBuilder(try CodedItem(Self.pattern, codec: codec))
      let still = try decoded(builder.encoded())
      #expect(try !Self.header(builder.encoded()).isAnimated)
      for isCompact in [false, true] {
        for (counts, isAnimated) in [([5], true), ([1], false), ([1, 1], false), ([1, 7], true), ([], false)] {
          let movie = HEIFBuilder.movie(counts, isCompact: isCompact)
          for isBefore in [false, true] {
            (builder.before, builder.behind) = isBefore ? (movie, []) : ([], movie)
            #expect(try Self.header(builder.encoded()).isAnimated == isAnimated, "\(counts), \(isBefore)")
            #expect(try decoded(builder.encoded()) == still)
          }
        }
      }
    }

    @Test func anOutputSaysSo() async throws {
      var builder = HEIFBuilder(try CodedItem(Self.pattern, codec: .av1))
      builder.behind = HEIFBuilder.movie([3])
      let file = builder.encoded()
      #expect(try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests()).isAnimated)
      let result = try await FaceCropper(detector: StubDetector()).crop(.bytes(file), request: CropRequest())
      #expect(result.warnings.contains(.firstFrameOnly))
    }

    @Test func aSequenceWithoutAStillImageIsNamed() throws {
      let start = HEIFBuilder.box("ftyp", Array("msf1\0\0\0\0msf1hevc".utf8))
      var builder = HEIFBuilder(try CodedItem(Self.pattern, codec: .av1))
      // A table of contents without the image that it names.
      builder.primary = 9
      builder.behind = HEIFBuilder.movie([3])
      for file in [start + HEIFBuilder.movie([3]), start + HEIFBuilder.box("moov", []), builder.encoded()] {
        expectFault("unsupported", naming: "sequence") { try Self.header(file) }
      }
      builder.behind = []
      expectFault("corrupt", naming: "missing") { try Self.header(builder.encoded()) }
    }

    /// What stands behind the table of contents does no harm, and is not gone over without an end.
    @Test func brokenMoviesAreNone() throws {
      var builder = HEIFBuilder(try CodedItem(Self.pattern, codec: .av1))
      let movie = HEIFBuilder.movie([3])
      for cut in stride(from: 1, to: movie.count, by: 7) {
        builder.behind = Array(movie.prefix(cut))
        #expect(try !Self.header(builder.encoded()).isAnimated)
      }
      let boxes = (0..<2_000).flatMap { _ in HEIFBuilder.box("free", []) }
      builder.behind = HEIFBuilder.box("moov", boxes + HEIFBuilder.movie([3]).dropFirst(8))
      #expect(try !Self.header(builder.encoded()).isAnimated)
      for broken in [[0, 0, 0, 3] + Array("free".utf8), [UInt8](repeating: 0, count: 9)] {
        builder.behind = broken + movie
        #expect(try !Self.header(builder.encoded()).isAnimated)
      }
    }
  }
#endif
