import TestSupport
import Testing

@testable import FaceCrop

/// Damaged files give an error or an image. These tests also run under the sanitizers.
@Suite struct DamageTests {
  private static let kinds: [(name: String, recipe: JPEGRecipe)] = [
    ("baseline", .baseline420), ("progressive", .progressive), ("multiscan", .multiscan), ("arithmetic", .arithmetic),
    ("progressive arithmetic", .arithmetic.with { $0.progressive = true }), ("restart", .restart),
    ("progressive RGB", .rgb.with { $0.progressive = true }), ("YCCK", .ycckAdobe), ("gray", .gray),
  ]

  /// Detects and renders a part; returns the error, if any.
  private static func outcome(_ jpeg: [UInt8], allowsDamage: Bool) throws -> FaceCropError? {
    var limits = Limits()
    limits.pixels = 1_000_000
    limits.coefficientBytes = 8 << 20
    limits.regionBytes = 8 << 20
    do {
      return try JPEGSession.with(jpeg, limits: limits, allowsDamage: allowsDamage) { (session) throws(FaceCropError) in
        let overview = try session.overview()
        #expect(overview.size.longSide <= Overview.side)
        let size = session.header.size
        _ = try session.region(
          PixelRect(x: size.width / 3, y: size.height / 2, width: (size.width + 2) / 3, height: (size.height + 1) / 2))
        return nil
      }
    } catch let error as FaceCropError {
      return error
    }
  }

  @Test(arguments: kinds.map(\.name))
  func everyPrefix(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 70, height: 90, channels: recipe.channels, seed: 1))
    let start = try #require(JPEGSurgery.entropyOffset(in: jpeg))
    var truncated = 0
    for length in 0..<jpeg.count {
      let prefix = Array(jpeg.prefix(length))
      let strict = try Self.outcome(prefix, allowsDamage: false)
      let lenient = try Self.outcome(prefix, allowsDamage: true)
      if length < start {
        #expect(strict != nil && lenient != nil, "\(length) bytes end inside the header")
      } else if length > start + 2 {
        if case .truncated(let intactRows, let rows, _)? = strict {
          truncated += 1
          #expect(intactRows < rows && rows == 90)
        } else {
          #expect(strict == nil, "\(length) of \(jpeg.count) bytes: \(strict.map(String.init(describing:)) ?? "")")
        }
        #expect(lenient == nil, "\(length) of \(jpeg.count) bytes: \(lenient.map(String.init(describing:)) ?? "")")
      }
    }
    // All except those that lack only data for the last row of MCUs, or for no pixel.
    #expect(truncated > (jpeg.count - start) / 2)
  }

  @Test(arguments: kinds.map(\.name))
  func everyByteOfTheHeader(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    let exif = EXIFBuilder.tiff(orientation: 6, artist: "A", thumbnail: [0xFF, 0xD8, 0xFF, 0xD9])
    let jpeg = try recipe.with { $0.segments = [.exif(exif)] }
      .encode(.testPattern(width: 40, height: 30, channels: recipe.channels, seed: 1))
    let end = try #require(JPEGSurgery.entropyOffset(in: jpeg))
    var errors = 0
    for offset in 0..<end {
      for value in Set<UInt8>([0, 1, 0x7F, 0xFF, jpeg[offset] ^ 1, jpeg[offset] ^ 0x80, jpeg[offset] &+ 1]) {
        var changed = jpeg
        changed[offset] = value
        if try Self.outcome(changed, allowsDamage: false) != nil { errors += 1 }
        _ = try Self.outcome(changed, allowsDamage: true)
      }
    }
    #expect(errors > 0)
  }

  @Test(arguments: kinds.map(\.name))
  func everyByteOfTheData(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 40, height: 30, channels: recipe.channels, seed: 1))
    let start = try #require(JPEGSurgery.entropyOffset(in: jpeg))
    for offset in start..<jpeg.count {
      _ = try Self.outcome(JPEGSurgery.flippingByte(at: offset, in: jpeg), allowsDamage: false)
      _ = try Self.outcome(JPEGSurgery.flippingByte(at: offset, in: jpeg), allowsDamage: true)
    }
  }

  @Test func missingEndMarkerIsNoDamage() throws {
    for (name, recipe) in JPEGRecipe.allKinds {
      let picture = Pixels.testPattern(width: 70, height: 90, channels: recipe.channels, seed: 1)
      let jpeg = JPEGSurgery.removingEOI(try recipe.encode(picture))
      #expect(try Self.outcome(jpeg, allowsDamage: false) == nil, "\(name)")
    }
  }

  /// A truncated second frame header changes libjpeg's sides and coding before it is refused.
  @Test func sidesOfALaterFrameAreNotBelieved() async throws {
    let picture = Pixels.testPattern(width: 37, height: 27, channels: 3, seed: 1)
    let frame: [UInt8] = [0xFF, 0xCA, 0xF8, 0xF8, 8, 0xF8, 0xF8, 0xF8, 0xF8]
    for recipe in [JPEGRecipe.baseline420, .progressive] {
      let jpeg = JPEGSurgery.removingEOI(try recipe.encode(picture)) + frame
      var request = CropRequest()
      request.allowsDamage = true
      let result = try await FaceCropper(detector: StubDetector()).crop(.bytes(jpeg), request: request)
      for case .truncated(let intactRows, let rows, _) in result.warnings {
        #expect(intactRows <= rows)
        #expect(rows == 27)
      }
    }
  }

  /// A file that ends anywhere before its last scan, also between two scans, has no complete rows there.
  @Test(arguments: [JPEGRecipe.progressive, .multiscan, .gray.with { $0.progressive = true }])
  func aFileWithoutItsLastScansIsTruncated(recipe: JPEGRecipe) throws {
    let jpeg = try recipe.encode(.testPattern(width: 70, height: 90, channels: 3, seed: 1))
    let scans = jpeg.indices.dropLast().filter { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA }
    let last = try #require(scans.last)
    for length in try #require(JPEGSurgery.entropyOffset(in: jpeg)) + 3..<last {
      let error = try Self.outcome(Array(jpeg.prefix(length)), allowsDamage: false)
      #expect(error?.kind == "truncated", "\(length) bytes, where the last scan begins at \(last)")
    }
  }

  @Test func trailingDataAreNoDamage() throws {
    let jpeg = try JPEGRecipe.progressive.encode(.testPattern(width: 70, height: 90, channels: 3, seed: 1))
    let second = try JPEGRecipe.baseline444.encode(.testPattern(width: 16, height: 16, channels: 3, seed: 2))
    #expect(try Self.outcome(JPEGSurgery.appending(trailer: second, to: jpeg), allowsDamage: false) == nil)
  }

  /// The error gives the readable rows, and the allowed image has a warning with the same number.
  @Test func truncationSaysHowMuchIsReadable() throws {
    let picture = Pixels.testPattern(width: 160, height: 320, channels: 3, seed: 1)
    let jpeg = try JPEGRecipe.baseline420.encode(picture)
    let half = Array(jpeg.prefix(jpeg.count / 2))
    let error = try #require(try Self.outcome(half, allowsDamage: false))
    guard case .truncated(let intactRows, let rows, let coarse) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(rows == 320 && !coarse && intactRows % 16 == 0 && (80..<240).contains(intactRows))

    let whole = try referenceDecode(jpeg).pixels
    try JPEGSession.with(half, allowsDamage: true) { (session) throws(FaceCropError) in
      let region = Pixels(try session.region(PixelRect(x: 0, y: 0, width: 160, height: 320)))
      #expect(session.warnings == [.truncated(intactRows: intactRows, rows: 320, coarse: false)])
      let intact = PixelRect(x: 0, y: 0, width: 160, height: intactRows - 1)
      #expect(region.cropped(intact) == whole.cropped(intact))
    }
  }
}
