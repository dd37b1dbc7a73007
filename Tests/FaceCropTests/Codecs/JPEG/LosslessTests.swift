import CBasics
import CJPEGShim
import TestSupport
import Testing

/// The shim's lossless crop of coefficients.
@Suite struct LosslessTests {
  private static let recipes: [(name: String, recipe: JPEGRecipe)] = [
    ("4:2:0", .baseline420), ("4:4:4", .baseline444), ("4:2:2", .baseline422), ("gray", .gray), ("RGB", .rgb),
    ("progressive", .progressive), ("several scans", .multiscan), ("arithmetic", .arithmetic), ("restarts", .restart),
  ]

  /// Crops some iMCUs, with segments; returns nil if the shim refuses.
  private func crop(_ jpeg: [UInt8], _ cut: FCJPEGRect, exif: [UInt8] = [], profile: [UInt8] = []) throws -> [UInt8]? {
    guard let flag = unsafe fc_cancellation_create() else { return nil }
    defer { unsafe fc_cancellation_destroy(flag) }
    guard let file = unsafe fcjpeg_file_create() else { return nil }
    defer { unsafe fcjpeg_file_destroy(file) }
    let status = unsafe jpeg.withUnsafeBufferPointer { bytes in
      let decoder = unsafe fcjpeg_decoder_create(
        FCJPEGSource(
          bytes: bytes.baseAddress!, count: bytes.count, isFileMapping: false, maximumScans: 100,
          maximumCoefficientBytes: 1 << 26, cancellation: flag))!
      defer { unsafe fcjpeg_decoder_destroy(decoder) }
      var finished = false
      var status = unsafe fcjpeg_decoder_start_scans(decoder, 8, .RGB, false)
      while status == .ok && !finished { status = unsafe fcjpeg_decoder_absorb(decoder, false, 100, &finished) }
      if status != .ok { return status }
      return unsafe exif.withUnsafeBufferPointer { exif in
        unsafe profile.withUnsafeBufferPointer { profile in
          unsafe fcjpeg_lossless_crop(
            decoder, cut,
            FCAttachments(
              exif: FCBytes(bytes: exif.baseAddress, count: exif.count), xmp: FCBytes(),
              profile: FCBytes(bytes: profile.baseAddress, count: profile.count)),
            file)
        }
      }
    }
    guard status == .ok else { return nil }
    return unsafe Self.bytes(of: file)
  }

  private static func bytes(of file: OpaquePointer) -> [UInt8] {
    let file = unsafe fcjpeg_file_bytes(file)
    return unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
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

  @Test func segmentsComeBack() throws {
    let jpeg = try JPEGRecipe.progressive.encode(.testPattern(width: 90, height: 70, channels: 3, seed: 5))
    let exif = EXIFBuilder.tiff(orientation: 6)
    let profile = ICCBuilder.profile(.displayP3, padding: 100_000)
    let cropped = try #require(
      try crop(jpeg, FCJPEGRect(x: 0, y: 0, width: 2, height: 2), exif: exif, profile: profile))
    let markers = JPEGSurgery.markers(in: cropped)
    #expect(markers.filter { $0.code == 0xE1 }.map { Array(cropped[$0.payload]) } == [exif])
    let chunks = markers.filter { $0.code == 0xE2 }.flatMap { cropped[$0.payload].dropFirst(14) }
    let isWhole = Array(chunks) == profile
    #expect(isWhole)
  }

  @Test func segmentsAreAddedBehindJFIFs() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 90, height: 70, channels: 3, seed: 5))
    let exif = EXIFBuilder.tiff(orientation: 6)
    let profile = ICCBuilder.profile(.displayP3, padding: 100_000)
    guard let file = unsafe fcjpeg_file_create() else { return }
    defer { unsafe fcjpeg_file_destroy(file) }
    func add(to jpeg: [UInt8]) -> FCStatus {
      unsafe exif.withUnsafeBufferPointer { exif in
        unsafe profile.withUnsafeBufferPointer { profile in
          unsafe fcjpeg_with_segments(
            jpeg, jpeg.count,
            FCAttachments(
              exif: FCBytes(bytes: exif.baseAddress, count: exif.count),
              xmp: FCBytes(bytes: exif.baseAddress, count: exif.count),
              profile: FCBytes(bytes: profile.baseAddress, count: profile.count)), file)
        }
      }
    }
    #expect(add(to: jpeg) == .ok)
    let added = unsafe Self.bytes(of: file)
    let markers = JPEGSurgery.markers(in: added)
    #expect(markers.map(\.code).prefix(6) == [0xD8, 0xE0, 0xE1, 0xE1, 0xE2, 0xE2])
    let chunks = markers.filter { $0.code == 0xE2 }.map { added[$0.payload] }
    let hasProfile = chunks.flatMap { $0.dropFirst(14) } == profile
    #expect(hasProfile)
    #expect(added.count == jpeg.count + 2 * (exif.count + 4) + profile.count + chunks.count * 18)
    let isSame = try referenceDecode(added).pixels == referenceDecode(jpeg).pixels
    #expect(isSame)
    #expect(add(to: [0xFF, 0xD8, 0xFF, 0xE0, 0, 9]) == .corrupt && add(to: [1]) == .corrupt)
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
