import Glibc
import TestSupport
import Testing

@testable import FaceCrop

/// A region has the pixels of a full decode that is cut.
///
/// `FACECROP_IDENTITY_REGIONS` sets how many regions are compared; `make identity` compares a million.
@Suite struct IdentityTests {
  private static let regions =
    unsafe getenv("FACECROP_IDENTITY_REGIONS").flatMap { unsafe Int(String(cString: $0)) } ?? 6_000
  private static let regionsPerPicture = 12
  private static let scales = Array(1...8)

  /// Every kind of JPEG × scales × random positions and sizes, in images of random sizes.
  @Test func regionsEqualTheFullDecode() throws {
    var random = SplitMix64(seed: 2_026)
    var compared = 0
    var mismatches: [String] = []
    var round: UInt64 = 0
    while compared < Self.regions {
      round += 1
      for (name, recipe) in JPEGRecipe.allKinds {
        let size = PixelSize(
          width: Int.random(in: 1...170, using: &random), height: .random(in: 1...170, using: &random))
        let picture = Pixels.testPattern(
          width: size.width, height: size.height, channels: recipe.channels, seed: round)
        let jpeg = try recipe.encode(picture)
        for scale in Self.scales {
          compared += Self.regionsPerPicture
          if let wrong = try Self.mismatch(jpeg, scale: scale, random: &random) {
            mismatches.append("\(name), \(size.width)x\(size.height), \(scale)/8: \(wrong)")
          }
        }
      }
    }
    #expect(mismatches.isEmpty, "\(mismatches.count): \(mismatches.prefix(10).joined(separator: "\n"))")
    print(
      "identity: \(compared) regions of \(round) × \(JPEGRecipe.allKinds.count) pictures, \(mismatches.count) wrong")
  }

  /// The index and a cut give the same pixels, for every kind with one Huffman-coded scan.
  @Test func regionsThroughTheIndexEqualTheFullDecode() throws {
    var random = SplitMix64(seed: 77)
    var kinds = JPEGRecipe.allKinds.filter { !$0.recipe.progressive && !$0.recipe.multiscan && !$0.recipe.arithmetic }
    kinds += [
      ("optimized 4:4:4", .baseline444.with { $0.optimizedHuffman = true }),
      ("optimized, restarts", .restart.with { $0.optimizedHuffman = true }),
      ("optimized gray, coarse", .gray.with { ($0.optimizedHuffman, $0.quality) = (true, 10) }),
      ("optimized CMYK", .cmykAdobe.with { $0.optimizedHuffman = true }),
      ("restarts of 3 MCUs, 4:2:2", .baseline422.with { $0.restartInterval = 3 }),
      ("fine", .baseline420.with { $0.quality = 100 }),
    ]
    var (compared, indexed) = (0, 0)
    while compared < Self.regions {
      for (name, recipe) in kinds {
        let size = PixelSize(width: .random(in: 1...300, using: &random), height: .random(in: 1...300, using: &random))
        let isFlat = Int.random(in: 0..<4, using: &random) == 0
        let picture =
          isFlat
          ? Pixels(
            width: size.width, height: size.height,
            color: (0..<recipe.channels).map { _ in .random(in: 0...255, using: &random) })
          : Pixels.testPattern(width: size.width, height: size.height, channels: recipe.channels, seed: random.next())
        let jpeg = try recipe.encode(picture)
        for scale in Self.scales {
          let whole = try referencePixels(jpeg, scale: scale)
          let rects = (0..<Self.regionsPerPicture).map { _ in
            random.rect(in: PixelSize(width: whole.width, height: whole.height))
          }
          try JPEGSession.with(jpeg, access: .indexed) { (session) throws(FaceCropError) in
            for rect in rects {
              let region = Pixels(try session.region(rect, scale: scale))
              if session.lastPath == .index { indexed += 1 }
              let expected = whole.cropped(rect)
              #expect(
                region == expected,
                "\(name), \(size.width)x\(size.height), \(scale)/8, \(rect): \(region.maximumDifference(from: expected))"
              )
            }
          }
          compared += rects.count
        }
      }
    }
    #expect(indexed * 100 >= compared * 99, "\(indexed) of \(compared) regions took the index")
    print("identity: \(compared) regions through the index of \(kinds.count) kinds, \(compared - indexed) fell back")
  }

  /// Damaged images too: libjpeg fills gaps in a region as in the whole image.
  @Test func regionsOfTruncatedPicturesEqualTheFullDecode() throws {
    var random = SplitMix64(seed: 7)
    for (name, recipe) in JPEGRecipe.allKinds {
      let picture = Pixels.testPattern(width: 190, height: 150, channels: recipe.channels, seed: 3)
      let jpeg = try recipe.encode(picture)
      let start = try #require(JPEGSurgery.entropyOffset(in: jpeg))
      let cut = Array(jpeg.prefix(start + (jpeg.count - start) * Int.random(in: 30...95, using: &random) / 100))
      // A cut inside a table between two scans leaves nothing to compare.
      guard (try? referenceDecode(cut, as: .native)) != nil else { continue }
      for scale in Self.scales {
        let wrong = try Self.mismatch(cut, scale: scale, random: &random)
        #expect(wrong == nil, "\(name), \(scale)/8: \(wrong ?? "")")
      }
    }
  }

  /// A request returns the upright image, cut, for each orientation.
  @Test(arguments: Orientation.allCases)
  func rendersUpright(orientation: Orientation) async throws {
    var random = SplitMix64(seed: UInt64(orientation.rawValue))
    let exif = MarkerSegment.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue)))
    for recipe in [JPEGRecipe.baseline420, .baseline422, .baseline440, .progressive, .gray] {
      let jpeg = try recipe.with { $0.segments = [exif] }
        .encode(.testPattern(width: 213, height: 148, channels: recipe.channels, seed: 4))
      let upright = try referencePixels(jpeg).turned(orientation: orientation.rawValue)
      let size = PixelSize(width: upright.width, height: upright.height)
      let rects = (0..<20).map { _ in random.rect(in: size) }
      let plan = CropPlan(
        source: size, detector: "none", faces: [],
        crops: rects.map { CropPlan.Crop(region: $0.normalized(in: size), faces: []) })
      let result = try await FaceCropper().render(plan, from: .bytes(jpeg))
      for (crop, rect) in zip(result.crops, rects) {
        #expect(crop.region == rect)
        #expect(Pixels(crop.pixels) == upright.cropped(rect))
      }
    }
  }

  /// Compares some regions in one session; returns the first difference.
  private static func mismatch(_ jpeg: [UInt8], scale: Int, random: inout SplitMix64) throws -> String? {
    let whole = try referencePixels(jpeg, scale: scale)
    let size = PixelSize(width: whole.width, height: whole.height)
    let rects = (0..<regionsPerPicture).map { _ in random.rect(in: size) }
    return try JPEGSession.with(jpeg, allowsDamage: true) { (session) throws(FaceCropError) in
      for rect in rects {
        let region = Pixels(try session.region(rect, scale: scale))
        let expected = whole.cropped(rect)
        if region != expected { return "\(rect), by up to \(region.maximumDifference(from: expected))" }
      }
      return nil
    }
  }
}
