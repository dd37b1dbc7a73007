import TestSupport
import Testing

@testable import FaceCrop

@Suite struct JPEGHeaderTests {
  private static let picture = Pixels.testPattern(width: 120, height: 80, channels: 3, seed: 1)

  private func header(_ jpeg: [UInt8], limits: Limits = Limits()) throws(FaceCropError) -> JPEGHeader {
    try JPEGHeader(reading: jpeg.span, job: .forTests(limits: limits))
  }

  private func kind(_ jpeg: [UInt8], limits: Limits = Limits()) -> String? {
    do throws(FaceCropError) {
      _ = try header(jpeg, limits: limits)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func sizesAndKinds() throws {
    for (name, recipe) in JPEGRecipe.allKinds {
      let picture = Pixels.testPattern(width: 61, height: 43, channels: recipe.channels, seed: 1)
      let header = try header(recipe.encode(picture))
      #expect(header.size == PixelSize(width: 61, height: 43), "\(name)")
      #expect(header.isProgressive == recipe.progressive, "\(name)")
      #expect(header.hasSeveralScans == (recipe.progressive || recipe.multiscan), "\(name)")
      #expect(header.isGray == (recipe.color == .gray), "\(name)")
    }
  }

  /// libjpeg's bytes for coefficients: blocks of 64 values of 2 bytes, in whole iMCUs.
  @Test func coefficientBytesAreThoseOfTheBlocks() throws {
    for (name, recipe) in JPEGRecipe.allKinds where recipe.color != .gray {
      let jpeg = try recipe.encode(.testPattern(width: 117, height: 75, channels: recipe.channels, seed: 1))
      let header = try header(jpeg)
      let blocks = try (0..<header.components.count).reduce(0) { sum, index in
        let component = try quantizedCoefficients(jpeg, component: index).coefficients
        let sampling = header.components[index]
        func whole(_ blocks: Int, _ sampling: Int) -> Int { (blocks + sampling - 1) / sampling * sampling }
        return sum + whole(component.widthInBlocks, sampling.horizontalSampling)
          * whole(component.heightInBlocks, sampling.verticalSampling)
      }
      #expect(header.coefficientBytes == blocks * 128, "\(name)")
    }
  }

  @Test(arguments: 1...8, EXIFBuilder.ByteOrder.allCases)
  func orientation(value: Int, order: EXIFBuilder.ByteOrder) throws {
    for type in EXIFBuilder.OrientationType.allCases {
      let exif = EXIFBuilder.tiff(byteOrder: order, orientation: UInt16(value), orientationType: type)
      let jpeg = try JPEGRecipe.baseline420.with { $0.segments = [.exif(exif)] }.encode(Self.picture)
      #expect(try header(jpeg).orientation.rawValue == value)
    }
  }

  @Test(arguments: [0, 9, 255, 65_535] as [UInt16])
  func impossibleOrientationsAreUpright(value: UInt16) throws {
    let exif = EXIFBuilder.tiff(orientation: value)
    let jpeg = try JPEGRecipe.baseline420.with { $0.segments = [.exif(exif)] }.encode(Self.picture)
    #expect(try header(jpeg).orientation == .up)
  }

  @Test func firstValidEXIFWins() throws {
    let segments = [
      MarkerSegment.app(1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8)),
      .app(1, Array("Exif\0\0garbage".utf8)),
      .exif(EXIFBuilder.tiff(orientation: 6)),
      .exif(EXIFBuilder.tiff(orientation: 3)),
    ]
    let jpeg = try JPEGRecipe.baseline420.with { $0.segments = segments }.encode(Self.picture)
    #expect(try header(jpeg).orientation == .right)
  }

  @Test func unsupportedKindsAreNamed() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(Self.picture)
    #expect(kind(try JPEGSurgery.patchingFrame(of: jpeg, precision: 12)) == "unsupported")
    for type in [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8] {
      #expect(kind(try JPEGSurgery.patchingFrame(of: jpeg, type: type)) == "unsupported")
    }
    #expect(kind(try JPEGSurgery.patchingFrame(of: jpeg, height: 0)) == "unsupported")
    #expect(kind(try JPEGSurgery.patchingFrame(of: jpeg, width: 0)) == "corrupt")
  }

  @Test func limitsAreCheckedBeforeAnythingIsDecoded() throws {
    let jpeg = try JPEGRecipe.progressive.encode(Self.picture)
    let bytes = try header(jpeg).coefficientBytes
    var limits = Limits()
    limits.pixels = 120 * 80
    limits.coefficientBytes = bytes
    #expect(kind(jpeg, limits: limits) == nil)
    limits.pixels -= 1
    #expect(throws: FaceCropError.overLimit(.pixels, actual: 9_600, allowed: 9_599)) {
      try header(jpeg, limits: limits)
    }
    limits.pixels += 1
    limits.coefficientBytes -= 1
    #expect(throws: FaceCropError.overLimit(.coefficientBytes, actual: bytes, allowed: bytes - 1)) {
      try header(jpeg, limits: limits)
    }
    #expect(kind(try JPEGSurgery.patchingFrame(of: jpeg, width: 65_535, height: 65_535)) == "limit")
  }

  @Test func metadataAreLimited() throws {
    let profile = ICCBuilder.profile(.rgb, padding: 100_000)
    let jpeg = try JPEGRecipe.baseline420.with { $0.segments = ICCBuilder.segments(for: profile) }.encode(Self.picture)
    var limits = Limits()
    limits.metadataBytes = profile.count + 2 * 14
    #expect(try header(jpeg, limits: limits).profile == profile)
    limits.metadataBytes -= 1
    #expect(kind(jpeg, limits: limits) == "limit")
  }

  /// A quarter of a million segments take libjpeg's own code minutes (quadratic time), and the walk milliseconds.
  @Test func manySegmentsAreReadInTimeProportionalToTheirNumber() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(Self.picture)
    let empty = MarkerSegment.app(1, []).encoded
    var many = Array(jpeg.prefix(2))
    for _ in 0..<250_000 { many += empty }
    many += JPEGSurgery.inserting([.exif(EXIFBuilder.tiff(orientation: 8))], into: jpeg).dropFirst(2)
    let time = try processorTime {
      let size = try JPEGSession.with(many) { (session) throws(FaceCropError) in
        _ = try session.overview()
        return session.header.displaySize
      }
      #expect(size == PixelSize(width: 80, height: 120))
    }
    #expect(time < 30, "seconds, in a build for tests")
  }
}
