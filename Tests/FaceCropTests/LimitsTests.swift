import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Every limit, at its value and one beyond, with the numbers in the error. Those of one format alone are in its tests.
@Suite struct LimitsTests {
  /// What a crop of a file without a face ends with.
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

  /// A header that speaks of far more pixels than its file can hold, whatever the format.
  @Test func pixelsForEachByte() async throws {
    let jpeg = try JPEGSurgery.patchingFrame(
      of: JPEGRecipe.progressive.encode(Pixels(width: 16, height: 16, color: [9, 9, 9])), width: 7_000, height: 7_000)
    let flat = try encodeWebP(Pixels(width: 2_100, height: 2_100, color: [9, 9, 9]).rgba, quality: nil)
    for (bytes, pixels) in [(jpeg, 49_000_000), (flat, 4_410_000)] {
      let ratio = pixels / bytes.count
      #expect(ratio > 10_000)
      #expect(try await Self.error(bytes) { _ in } == .overLimit(.pixelsPerByte, actual: ratio, allowed: 10_000))
      #expect(
        try await Self.error(bytes) { $0.pixelsPerByte = ratio - 1 }
          == .overLimit(.pixelsPerByte, actual: ratio, allowed: ratio - 1))
    }
    #expect(try await Self.error(flat) { $0.pixelsPerByte = 4_410_000 } == nil)
    // Small pictures may be as empty as they like.
    let small = try encodeWebP(Pixels(width: 1_500, height: 1_500, color: [9, 9, 9]).rgba, quality: nil)
    #expect(1_500 * 1_500 / small.count > 10_000)
    #expect(try await Self.error(small) { _ in } == nil)
  }

  /// Numbers that no file has do not overflow.
  @Test func absurdSizes() async throws {
    var png = PNGBuilder(width: 1, height: 1).encoded()
    png.replaceSubrange(16..<24, with: UInt32(Int32.max).bigEndianBytes + UInt32(Int32.max).bigEndianBytes)
    let header = Array(png[12..<29])
    png.replaceSubrange(8..<33, with: PNGBuilder.chunk("IHDR", Array(header.dropFirst(4))))
    let side = Int(Int32.max)
    #expect(try await Self.error(png) { _ in } == .overLimit(.side, actual: side, allowed: 30_000))
    #expect(try await Self.error(png) { $0.side = .max }?.kind == "limit")
    var limits = Limits()
    (limits.side, limits.pixels) = (.max, .max)
    let info = try await FaceCropper(detector: StubDetector(), limits: limits).info(of: .bytes(png))
    #expect(info.memory == .max)
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

  /// They are counted before any of them is decoded.
  @Test func scansAreCountedBeforehand() throws {
    let jpeg = try JPEGRecipe.progressive.encode(Pixels.testPattern(width: 64, height: 48))
    func count(_ bytes: [UInt8], atMost maximum: Int) throws -> Int {
      try unsafe bytes.span.withBuffer { (buffer) throws(FaceCropError) in
        try unsafe JPEGDecoder(reading: buffer, isFileMapping: false, job: .forTests()).scans(atMost: maximum)
      }
    }
    // Libjpeg's own script for three components.
    #expect(try count(jpeg, atMost: 1_000) == 10)
    #expect(try count(jpeg, atMost: 4) == 4)
    // Cut anywhere, and markers inside segments and data, are no scans.
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

  /// A detector that never ends by itself would hold a call up; here it is the decoder's loops that look.
  @Test func timeEndsACall() async throws {
    let large = try JPEGRecipe.progressive.encode(largePortrait(width: 2_000, height: 1_500))
    for (name, bytes) in try Self.files() + [("large", large)] {
      guard case .overLimit(.time, let actual, 0)? = try await Self.error(bytes, { $0.time = .zero }) else {
        // So short that it was done before the clock was looked at.
        #expect(name != "large")
        continue
      }
      #expect(actual >= 0)
    }
    #expect(try await Self.error(large) { $0.time = .seconds(60) } == nil)
  }

  /// One that is cancelled by its caller is cancelled, not late.
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

/// An animation of 8 × 8 pixels, frames one after the other in a file by hand (WebP container specification).
private func animatedWebP(frames: Int) throws -> [UInt8] {
  func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array(name.utf8) + UInt32(data.count).littleEndianBytes + data + (data.count % 2 == 1 ? [0] : [])
  }
  let still = try encodeWebP(Pixels(width: 8, height: 8, color: [10, 20, 30]).rgba, quality: nil)
  // The picture's own chunk, behind the head of the file.
  let picture = Array(still.dropFirst(12))
  let side: [UInt8] = [7, 0, 0]
  var file = chunk("VP8X", [0x02, 0, 0, 0] + side + side) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
  for _ in 0..<frames { file += chunk("ANMF", [0, 0, 0, 0, 0, 0] + side + side + [50, 0, 0, 0] + picture) }
  return Array("RIFF".utf8) + UInt32(file.count + 4).littleEndianBytes + Array("WEBP".utf8) + file
}
