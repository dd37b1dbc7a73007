import Glibc
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Every limit, at its value and one above, with the numbers in the error, except the limits of a single format.
@Suite struct LimitsTests {
  /// Returns the error of a crop of a file without a face.
  private static func error(_ bytes: [UInt8], _ change: (inout Limits) -> Void) async throws -> FaceCropError? {
    var limits = Limits()
    change(&limits)
    do {
      _ = try await FaceCropper(detector: StubDetector(), limits: limits).crop(.bytes(bytes))
      return nil
    } catch {
      return error
    }
  }

  private static func files() throws -> [(name: String, bytes: [UInt8])] {
    let pixels = Pixels.testPattern(width: 61, height: 43)
    return [
      ("JPEG", try JPEGRecipe.baseline420.encode(pixels)), ("PNG", PNGBuilder(pixels).encoded()),
      ("WebP", try encodeWebP(pixels.rgba, quality: 80)),
    ]
  }

  @Test func sidesPixelsAndBytes() async throws {
    for (name, bytes) in try Self.files() {
      #expect(try await Self.error(bytes) { $0.side = 60 } == .overLimit(.side, actual: 61, allowed: 60), "\(name)")
      #expect(try await Self.error(bytes) { $0.side = 61 } == nil)
      let pixels = 61 * 43
      #expect(
        try await Self.error(bytes) { $0.pixels = pixels - 1 }
          == .overLimit(.pixels, actual: pixels, allowed: pixels - 1))
      #expect(try await Self.error(bytes) { $0.pixels = pixels } == nil)
      let count = bytes.count
      #expect(
        try await Self.error(bytes) { $0.fileBytes = count - 1 }
          == .overLimit(.fileBytes, actual: count, allowed: count - 1))
      #expect(try await Self.error(bytes) { $0.fileBytes = count } == nil)
    }
  }

  /// A header may declare far more pixels than its file can contain.
  @Test func pixelsForEachByte() async throws {
    let jpeg = try JPEGSurgery.patchingFrame(
      of: JPEGRecipe.progressive.encode(Pixels(width: 16, height: 16, color: [9, 9, 9])), width: 7_000, height: 7_000)
    let flat = try encodeWebP(Pixels(width: 2_100, height: 2_100, color: [9, 9, 9]).rgba, quality: nil)
    // Each of ten scans passes over all pixels.
    for (bytes, pixels) in [(jpeg, 10 * 49_000_000), (flat, 4_410_000)] {
      let ratio = pixels / bytes.count
      #expect(ratio > 10_000)
      #expect(try await Self.error(bytes) { _ in } == .overLimit(.pixelsPerByte, actual: ratio, allowed: 10_000))
      #expect(
        try await Self.error(bytes) { $0.pixelsPerByte = ratio - 1 }
          == .overLimit(.pixelsPerByte, actual: ratio, allowed: ratio - 1))
    }
    #expect(try await Self.error(flat) { $0.pixelsPerByte = 4_410_000 } == nil)
    // Small images may have any number of pixels per byte.
    let small = try encodeWebP(Pixels(width: 1_500, height: 1_500, color: [9, 9, 9]).rgba, quality: nil)
    #expect(1_500 * 1_500 / small.count > 10_000)
    #expect(try await Self.error(small) { _ in } == nil)
  }

  /// Absurd numbers do not overflow.
  @Test func absurdSizes() async throws {
    var png = PNGBuilder(width: 1, height: 1).encoded()
    png.replaceSubrange(16..<24, with: UInt32(Int32.max).bigEndianBytes + UInt32(Int32.max).bigEndianBytes)
    let header = Array(png[12..<29])
    png.replaceSubrange(8..<33, with: PNGBuilder.chunk("IHDR", Array(header.dropFirst(4))))
    let side = Int(Int32.max)
    #expect(try await Self.error(png) { _ in } == .overLimit(.side, actual: side, allowed: 30_000))
    #expect(try await Self.error(png) { $0.side = .max }?.kind == "limit")
    var limits = Limits()
    (limits.side, limits.pixels, limits.pixelsPerByte) = (.max, .max, .max)
    let info = try await FaceCropper(detector: StubDetector(), limits: limits).info(of: .bytes(png))
    #expect(info.memory == .max)
  }

  private static let keys: [any WritableKeyPath<Limits, Int> & Sendable] = [
    \.pixels, \.side, \.pixelsPerByte, \.fileBytes, \.scans, \.frames, \.coefficientBytes, \.metadataBytes,
    \.regionBytes, \.imageBytes, \.heifBytes, \.encodingBytes,
  ]

  private static func everyFormat() throws -> [(name: String, bytes: [UInt8])] {
    var files = try files()
    let pixels = Pixels.testPattern(width: 64, height: 64)
    files.append(("progressive JPEG", try JPEGRecipe.progressive.encode(pixels)))
    files.append(("lossless WebP", try encodeWebP(pixels.rgba, quality: nil)))
    var png = PNGBuilder(pixels)
    png.isInterlaced = true
    files.append(("interlaced PNG", png.encoded()))
    #if HEIF
      for codec in CodedItem.Codec.allCases {
        let item = try CodedItem(pixels, codec: codec)
        files.append(("\(codec)", HEIFBuilder(item).encoded()))
        var grid = HEIFBuilder()
        grid.primary = grid.addGrid([item, item], columns: 2, width: 128, height: 64)
        files.append(("\(codec) in tiles", grid.encoded()))
      }
    #endif
    return files
  }

  /// Without limits, a crop gives an image or an error.
  @Test func theLargestLimits() async throws {
    for (name, bytes) in try Self.everyFormat() {
      for key in Self.keys { #expect(try await Self.error(bytes) { $0[keyPath: key] = .max } == nil, "\(name)") }
      #expect(
        try await Self.error(bytes) { limits in
          for key in Self.keys { limits[keyPath: key] = .max }
          limits.time = .seconds(Int64.max)
        } == nil, "\(name)")
    }
  }

  /// Absurd sizes that no limit refuses give an error in time. A process of its own makes the images: they take more
  /// memory than the machine has, so this process could not be copied to read JPEG XL meanwhile.
  @Test func theLargestLimitsAndAbsurdSizes() async {
    await #expect(processExitsWith: .success) { try await LimitsTests.cropAbsurdSizes() }
  }

  private static func cropAbsurdSizes() async throws {
    var files = try [
      ("JPEG", JPEGSurgery.patchingFrame(of: Self.files()[0].bytes, width: 65_535, height: 65_535)),
      (
        "progressive JPEG",
        JPEGSurgery.patchingFrame(
          of: JPEGRecipe.progressive.encode(Pixels(width: 16, height: 16, color: [9, 9, 9])), width: 65_535,
          height: 65_535)
      ),
    ]
    for side in [0x7FFF_FFFF, 0x4000_0000, 0x10_0000] {
      for isInterlaced in [false, true] {
        var builder = PNGBuilder(width: 1, height: 1)
        builder.isInterlaced = isInterlaced
        var png = builder.encoded()
        png.replaceSubrange(16..<24, with: UInt32(side).bigEndianBytes + UInt32(side).bigEndianBytes)
        let header = Array(png[16..<29])
        png.replaceSubrange(8..<33, with: PNGBuilder.chunk("IHDR", header))
        files.append(("PNG of \(side)", png))
      }
    }
    #if HEIF
      let pixels = Pixels.testPattern(width: 64, height: 64)
      // Formats with the most bytes a pixel too.
      let kinds: [(codec: CodedItem.Codec, depth: Int, chroma: String)] = [
        (.hevc, 8, "420"), (.hevc, 12, "444"), (.av1, 8, "420"), (.av1, 10, "422"),
      ]
      for (codec, depth, chroma) in kinds {
        for side in [0x3FFF_FFFF, 0x2000_0000, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x10_0000] {
          var item = try CodedItem(pixels, codec: codec, depth: depth, chroma: chroma)
          (item.width, item.height) = (side, side)
          files.append(("\(codec) of \(side)", HEIFBuilder(item).encoded()))
          var grid = HEIFBuilder()
          // Larger ones would take all memory of the machine.
          grid.primary = grid.addGrid([item, item], columns: 2, width: 65_535, height: 4_095)
          files.append(("\(codec) of tiles of \(side)", grid.encoded()))
          // As another item's thumbnail, and as its alpha.
          for kind in ["thmb", "auxl"] {
            var other = HEIFBuilder()
            _ = other.add(try CodedItem(pixels, codec: codec, depth: depth, chroma: chroma), [])
            _ = other.add(item, kind == "auxl" ? [HEIFBuilder.alpha] : [])
            other.references.append((kind, 2, [1]))
            files.append(("\(codec) with \(kind) of \(side)", other.encoded()))
          }
        }
      }
    #endif
    // BigTIFF has sides of 64 bits.
    for side in [0x10_0000, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 33, (1 << 61) + 5] {
      for tile in [nil, (width: 1, height: 1), (width: 1 << 20, height: 1 << 20)] {
        var tiff = TIFFBuilder(width: 1, height: 1)
        (tiff.isBig, tiff.tile) = (true, tile.map { _ in (16, 16) })
        tiff.changes[256] = tiff.bigs([side])
        tiff.changes[257] = tiff.bigs([side])
        if let tile {
          tiff.changes[322] = tiff.bigs([tile.width])
          tiff.changes[323] = tiff.bigs([tile.height])
        }
        files.append(("TIFF of \(side)", tiff.encoded()))
      }
    }
    for (name, bytes) in files {
      var limits = Limits()
      for key in Self.keys { limits[keyPath: key] = .max }
      limits.time = .seconds(1)
      let cropper = FaceCropper(detector: StubDetector(), limits: limits)
      _ = try? await cropper.info(of: .bytes(bytes))
      // The 12 GB of a JPEG's largest size may or may not fit into memory.
      if name.hasSuffix("JPEG") { continue }
      // Thumbnails and alpha may be ignored.
      guard !name.contains(" with ") else {
        _ = try? await cropper.crop(.bytes(bytes))
        continue
      }
      await #expect(throws: FaceCropError.self, "\(name)") { try await cropper.crop(.bytes(bytes)) }
    }
  }

  // MARK: Frames and scans

  @Test func frames() async throws {
    var png = PNGBuilder(width: 20, height: 10)
    png.before = [("acTL", UInt32(500).bigEndianBytes + [0, 0, 0, 0])]
    let bytes = png.encoded()
    #expect(try await Self.error(bytes) { $0.frames = 499 } == .overLimit(.frames, actual: 500, allowed: 499))
    #expect(try await Self.error(bytes) { $0.frames = 500 } == nil)
    let webP = try animatedWebP(frames: 5)
    #expect(try await Self.error(webP) { $0.frames = 4 } == .overLimit(.frames, actual: 5, allowed: 4))
    #expect(try await Self.error(webP) { $0.frames = 5 } == nil)
  }

  /// Scans are counted before any of them is decoded.
  @Test func scansAreCountedBeforehand() throws {
    let jpeg = try JPEGRecipe.progressive.encode(Pixels.testPattern(width: 64, height: 48))
    func count(_ bytes: [UInt8], atMost maximum: Int) throws -> Int {
      try unsafe bytes.span.withBuffer { (buffer) throws(FaceCropError) in
        try unsafe JPEGDecoder(reading: buffer, isFileMapping: false, job: .forTests()).scans(atMost: maximum)
      }
    }
    // libjpeg's own script for three components.
    #expect(try count(jpeg, atMost: 1_000) == 10)
    #expect(try count(jpeg, atMost: 4) == 4)
    // Truncations, and markers inside segments and data, add no scans.
    for end in stride(from: 2, to: jpeg.count, by: 7) { #expect(try count(Array(jpeg.prefix(end)), atMost: 99) <= 10) }
    let comment = MarkerSegment.app(3, Array(repeating: [0xFF, 0xDA], count: 300).flatMap { $0 })
    #expect(try count(JPEGSurgery.inserting([comment], into: jpeg), atMost: 99) == 10)
    #expect(throws: FaceCropError.overLimit(.scans, actual: 6, allowed: 5)) {
      var limits = Limits()
      limits.scans = 5
      try JPEGSession.with(jpeg, limits: limits) { (session) throws(FaceCropError) in try session.admit() }
    }
  }

  // MARK: Time

  /// The decoder's loops check the time, since the detector would never end by itself.
  @Test func timeEndsACall() async throws {
    let large = try JPEGRecipe.progressive.encode(largePortrait(width: 2_000, height: 1_500))
    for (name, bytes) in try Self.files() + [("large", large)] {
      guard case .overLimit(.time, let actual, 0)? = try await Self.error(bytes, { $0.time = .zero }) else {
        // Too short for a check of the clock.
        #expect(name != "large")
        continue
      }
      #expect(actual >= 0)
    }
    #expect(try await Self.error(large) { $0.time = .seconds(60) } == nil)
  }

  /// Runs a job that calls `body` again and again, and returns its error.
  private static func error(
    within limits: Limits, until end: Duration = .seconds(3_600), _ body: @escaping @Sendable () -> Void
  ) async -> FaceCropError? {
    do throws(FaceCropError) {
      try await Job.run(limits: limits, on: .unlimited, progress: nil) { (job) throws(FaceCropError) in
        let start = ContinuousClock.now
        while ContinuousClock.now - start < end {
          try job.check()
          body()
        }
      }
      return nil
    } catch {
      return error
    }
  }

  /// On a busy machine, a thread waits most of the time. Here it sleeps.
  @Test(.endsIfItHangs) func waitingIsNoWork() async {
    let limits = with(Limits()) { $0.time = .milliseconds(500) }
    let wait: @Sendable () -> Void = { usleep(10_000) }
    #expect(await Self.error(within: limits, until: .milliseconds(1_000), wait) == nil)
    guard case .overLimit(.time, 2_000..., 2_000)? = await Self.error(within: limits, wait) else {
      Issue.record("waiting has no end")
      return
    }
    guard case .overLimit(.time, _, let allowed)? = await Self.error(within: limits, {}) else {
      Issue.record("working has no end")
      return
    }
    // Other tests may take most of the processors.
    #expect(allowed == 500 || allowed == 2_000)
  }

  @Test(.endsIfItHangs) func callsCanShareTheirTime() async throws {
    let limits = FaceCropper(limits: with(Limits()) { $0.time = .milliseconds(400) }).sharingTime().limits
    let spent = try #require(limits.spent)
    spent.total.withLock { $0 = .milliseconds(300) }
    guard case .overLimit(.time, 400..., 400)? = await Self.error(within: limits, {}) else {
      Issue.record("the second call has no end")
      return
    }
    // The second one had only the rest, and not all of the time again.
    #expect(spent.total.withLock { $0 } < .milliseconds(650))
    #expect(await Self.error(within: limits, {}) != nil)
  }

  /// A call that its caller cancels is cancelled, not late.
  @Test func cancellationIsNoLimit() async throws {
    let large = try JPEGRecipe.progressive.encode(largePortrait(width: 2_000, height: 1_500))
    let task = Task { try await FaceCropper(detector: StubDetector()).crop(.bytes(large)) }
    task.cancel()
    await #expect(throws: FaceCropError.cancelled) { try await task.value }
  }

  @Test(arguments: [
    (Duration.seconds(30), 30_000), (.milliseconds(1), 1), (.microseconds(1), 1), (.zero, 0),
    (.seconds(Int64.max), .max),
  ])
  func milliseconds(duration: Duration, expected: Int) {
    #expect(duration.milliseconds == expected)
  }
}

/// Builds an animation of 8 × 8 pixels by hand, one frame after the other (WebP container specification).
private func animatedWebP(frames: Int) throws -> [UInt8] {
  func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array(name.utf8) + UInt32(data.count).littleEndianBytes + data + (data.count % 2 == 1 ? [0] : [])
  }
  let still = try encodeWebP(Pixels(width: 8, height: 8, color: [10, 20, 30]).rgba, quality: nil)
  // The image's own chunk, after the file header.
  let picture = Array(still.dropFirst(12))
  let side: [UInt8] = [7, 0, 0]
  var file = chunk("VP8X", [0x02, 0, 0, 0] + side + side) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
  for _ in 0..<frames { file += chunk("ANMF", [0, 0, 0, 0, 0, 0] + side + side + [50, 0, 0, 0] + picture) }
  return Array("RIFF".utf8) + UInt32(file.count + 4).littleEndianBytes + Array("WEBP".utf8) + file
}
