import CBasics
import CJPEGShim
import TestSupport
import Testing

@testable import FaceCrop

/// The shim's lossless crop of coefficients.
@Suite struct LosslessTests {
  private static let recipes: [(name: String, recipe: JPEGRecipe)] = [
    ("4:2:0", .baseline420), ("4:4:4", .baseline444), ("4:2:2", .baseline422), ("gray", .gray), ("RGB", .rgb),
    ("progressive", .progressive), ("several scans", .multiscan), ("arithmetic", .arithmetic), ("restarts", .restart),
  ]

  /// Crops some iMCUs; returns nil if the shim refuses.
  private func crop(_ jpeg: [UInt8], _ cut: FCJPEGRect) throws -> [UInt8]? {
    guard let flag = unsafe fc_cancellation_create() else { return nil }
    defer { unsafe fc_cancellation_destroy(flag) }
    var file = unsafe FCBytes()
    defer { unsafe fcjpeg_file_free(file) }
    let status = unsafe jpeg.withUnsafeBufferPointer { bytes in
      let decoder = unsafe fcjpeg_decoder_create(
        FCJPEGSource(
          bytes: bytes.baseAddress!, count: bytes.count, isFileMapping: false, maximumScans: 100,
          maximumCoefficientBytes: 1 << 26, cancellation: flag))!
      defer { unsafe fcjpeg_decoder_destroy(decoder) }
      var finished = false
      var status = unsafe fcjpeg_decoder_start_scans(decoder, 8, .RGB, false)
      while status == .ok && !finished { status = unsafe fcjpeg_decoder_absorb(decoder, false, 100, &finished) }
      return unsafe status == .ok ? fcjpeg_lossless_crop(decoder, cut, &file) : status
    }
    guard status == .ok else { return nil }
    return unsafe ImageBytes.copy(file)
  }

  @Test(arguments: recipes.map(\.name)) func noCoefficientChanges(name: String) throws {
    let recipe = try #require(Self.recipes.first { $0.name == name }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 150, height: 107, channels: recipe.channels, seed: 5))
    let whole = try quantizedCoefficients(jpeg, component: 0).coefficients
    // Blocks of luma in an iMCU; chroma has one.
    let luma = recipe.channels == 1 ? JPEGRecipe.Sampling(1, 1) : recipe.sampling.first ?? .init(1, 1)
    let cut = FCJPEGRect(x: 2, y: 1, width: 3, height: 2)
    let cropped = try #require(try crop(jpeg, cut))
    let pixels = try referenceDecode(cropped, as: .native).pixels
    #expect(pixels.width == 3 * 8 * luma.horizontal && pixels.height == 2 * 8 * luma.vertical)
    for component in 0..<whole.componentCount {
      let sampling = component == 0 ? luma : .init(1, 1)
      let before = try quantizedCoefficients(jpeg, component: component).coefficients
      let after = try quantizedCoefficients(cropped, component: component)
      #expect(after.warnings == 0)
      for y in 0..<2 * sampling.vertical {
        for x in 0..<3 * sampling.horizontal {
          let same =
            after.coefficients.block(x: x, y: y)
            == before.block(x: 2 * sampling.horizontal + x, y: sampling.vertical + y)
          #expect(same, "component \(component) at \(x), \(y)")
        }
      }
    }
  }

  @Test func segmentsAreAddedBehindJFIFs() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 90, height: 70, channels: 3, seed: 5))
    let exif = EXIFBuilder.tiff(orientation: 6)
    let profile = ICCBuilder.profile(.displayP3, padding: 100_000)
    let segments = try JPEGSegments.segments(of: CropMetadata(exif: exif, xmp: exif), profile: profile)
    func adding(to jpeg: [UInt8]) -> [UInt8] {
      unsafe jpeg.withUnsafeBufferPointer { jpeg in
        unsafe JPEGSegments.inserting(segments, into: jpeg, behind: JPEGSegments.jfif)
      }
    }
    let added = adding(to: jpeg)
    let markers = JPEGSurgery.markers(in: added)
    #expect(markers.map(\.code).prefix(6) == [0xD8, 0xE0, 0xE1, 0xE1, 0xE2, 0xE2])
    let texts = markers.filter { $0.code == 0xE1 }.map { Array(added[$0.payload]) }
    #expect(texts == [JPEGHeader.exifIdentifier + exif, XMPPacket.identifier + exif])
    let chunks = markers.filter { $0.code == 0xE2 }.map { added[$0.payload] }
    let hasProfile = chunks.flatMap { $0.dropFirst(14) } == profile
    #expect(hasProfile)
    #expect(chunks.map { Array($0.prefix(14)) } == [1, 2].map { Array("ICC_PROFILE\0".utf8) + [$0, 2] })
    #expect(added.count == jpeg.count + segments.count)
    let isSame = try referenceDecode(added).pixels == referenceDecode(jpeg).pixels
    #expect(isSame)
    // Files that end early.
    #expect(adding(to: [0xFF, 0xD8, 0xFF, 0xE0, 0, 9]).count == 6 + segments.count)
    #expect(adding(to: [1]).count == 1 + segments.count)
  }

  @Test(arguments: [
    (CropMetadata(exif: [UInt8](repeating: 0, count: 65_528)), 0),
    (CropMetadata(xmp: [UInt8](repeating: 0, count: 65_505)), 0), (CropMetadata(), 255 * 65_519 + 1),
  ])
  func segmentsThatDoNotFitAreRefused(metadata: CropMetadata, profileBytes: Int) {
    #expect(throws: FaceCropError.self) {
      try JPEGSegments.segments(of: metadata, profile: [UInt8](repeating: 0, count: profileBytes))
    }
  }

  @Test func cutsOutsideAreRefused() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 90, height: 70, channels: 3, seed: 5))
    for (x, y, width, height) in [
      (6, 0, 1, 1), (0, 5, 1, 1), (0, 0, 7, 1), (0, 0, 1, 6), (0, 0, 0, 1), (.max, 0, 2, 1),
    ]
      as [(UInt32, UInt32, UInt32, UInt32)]
    {
      #expect(try crop(jpeg, FCJPEGRect(x: x, y: y, width: width, height: height)) == nil)
    }
  }
}
