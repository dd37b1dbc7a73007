import TestSupport
import Testing

@testable import FaceCrop

/// The largest sides of the formats, which one table has, and another format where nobody named one.
@Suite struct FormatLimitTests {
  private static let written = ImageFormat.allCases.filter(\.isWritten)

  private func pixels(_ width: Int, _ height: Int) -> PixelBuffer {
    PixelBuffer(Pixels(width: width, height: height, color: [119]))
  }

  private func encoded(_ pixels: PixelBuffer, _ format: ImageFormat) throws -> [UInt8] {
    try Codecs.encode(
      EncoderInput(pixels: pixels), as: OutputFormat(format), background: .white, job: .forTests())
  }

  @Test(arguments: written) func aLongerSideIsAnError(format: ImageFormat) async throws {
    let limits: [ImageFormat: Int] = [.jpeg: 65_500, .webp: 16_383, .avif: 65_535, .gif: 65_535]
    #expect(format.largestSide == limits[format] ?? Int(Int32.max))
    guard let side = limits[format] else { return }
    for size in [(2, side + 1), (side + 1, 2)] {
      let error = FaceCropError.formatLimit(
        PixelSize(width: size.0, height: size.1), format: format.name, allowedSide: side)
      #expect(throws: error) { try encoded(pixels(size.0, size.1), format) }
      let input = EncoderInput(pixels: pixels(size.0, size.1))
      if format.encoderFeatures.contains(.animation) {
        #expect(throws: error) {
          try Codecs.animationEncoder(for: input, as: OutputFormat(format), plays: 0, job: .forTests())
        }
      }
    }
    // The largest side is one that the format can have.
    let info = try await FaceCropper(limits: Self.wide).info(of: .bytes(encoded(pixels(2, side), format)))
    #expect(info.size == PixelSize(width: 2, height: side))
  }

  private static var wide: Limits {
    var limits = Limits()
    limits.side = 1 << 20
    return limits
  }

  @Test func anotherFormatHoldsTheImage() throws {
    let tall = PixelSize(width: 300, height: 29_000)
    let jpeg = ImageFormat.webp.holding(tall)
    #expect(jpeg.format == .jpeg && jpeg.warning == .otherFormat(wanted: "WebP", actual: "JPEG", size: tall))
    #expect(ImageFormat.webp.holding(tall, needing: .transparency).format == .png)
    #expect(ImageFormat.avif.holding(tall).warning == nil)
    #expect(ImageFormat.jpeg.holding(PixelSize(width: 70_000, height: 1)).format == .png)
    #expect(ImageFormat.webp.holding(PixelSize(width: 16_383, height: 16_383)).format == .webp)
  }

  @Test func requestsTakeAnotherFormatIfTheyMay() async throws {
    let file = PNGBuilder(Pixels(width: 4, height: 17_000, color: [200, 60, 30])).encoded()
    var options = ImageRequestOptions()
    options.encoding = ImageEncoding(.webp(quality: 80))
    let manager = ImageManager(configuration: .init())
    let size = PixelSize(width: 4, height: 17_000)
    func response() async throws -> ImageResponse {
      try await manager.response(
        to: ImageRequest(.bytes(file), targetSize: .maximum, contentMode: .aspectFit, options: options))
    }
    let error = FaceCropError.formatLimit(size, format: "WebP", allowedSide: 16_383)
    await #expect(throws: ImageRequestError.image(error)) { try await response() }
    options.encoding?.allowsOtherFormats = true
    let response = try await response()
    #expect(response.file?.format == .jpeg && response.warnings.map(\.kind) == ["format"])
    let hidden = try await manager.blurredImage(for: .bytes(file), options: options)
    #expect(hidden.format == .jpeg && hidden.warnings.map(\.kind).contains("format"))
  }
}
