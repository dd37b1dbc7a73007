import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Outputs with a minimum size, and files with a maximum size.
@Suite struct OutputBoundsTests {
  private static func crop() async throws -> RenderedCrop {
    let source = ImageSource.bytes(try fixtureBytes("astronaut.jpg"))
    return try await FaceCropper(detector: StubDetector()).crop(source).crops[0]
  }

  /// The highest quality that fits is found: the next one does not fit.
  @Test func theQualityThatFitsIsFound() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let crop = try await Self.crop()
    for format in [OutputFormat.jpeg(quality: 85), .jpeg(quality: 100, isProgressive: true), .webp(quality: 90)] {
      let whole = try await cropper.encode(crop, as: format)
      for share in [1.0, 0.5, 0.2] {
        let allowed = Int(Double(whole.count) * share)
        let file = try await cropper.encode(crop, as: format, atMost: allowed)
        let (bytes, found) = (file.bytes, file.quality)
        #expect(bytes.count <= allowed)
        let quality = try #require(found)
        #expect(try await cropper.encode(crop, as: format.with(quality: quality)) == bytes)
        if share == 1 {
          #expect(bytes == whole)
        } else {
          #expect(try await cropper.encode(crop, as: format.with(quality: quality + 1)).count > allowed)
        }
      }
    }
  }

  @Test func anErrorIfNoQualityFits() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let crop = try await Self.crop()
    let least = try await cropper.encode(crop, as: .jpeg(quality: 1)).count
    await #expect(throws: FaceCropError.tooLarge(bytes: least, allowed: least - 1)) {
      try await cropper.encode(crop, as: .jpeg(quality: 85), atMost: least - 1)
    }
    #expect(try await cropper.encode(crop, as: .jpeg(quality: 85), atMost: least).quality == 1)
    // Without a quality a file fits or does not.
    let png = try await cropper.encode(crop, as: .png)
    let whole = try await cropper.encode(crop, as: .png, atMost: png.count)
    #expect(whole.bytes == png && whole.quality == nil)
    await #expect(throws: FaceCropError.tooLarge(bytes: png.count, allowed: 1_000)) {
      try await cropper.encode(crop, as: .png, atMost: 1_000)
    }
  }

  /// They are refused before any output is made.
  @Test func smallOutputsAreRefused() async throws {
    let face = Face(box: NormalizedRect(x: 0.25, y: 0.25, width: 0.25, height: 0.5), score: 0.5)
    let small = Face(box: NormalizedRect(x: 0.7, y: 0.7, width: 0.1, height: 0.1), score: 0.4)
    let cropper = FaceCropper(detector: StubDetector(found: [face, small]))
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(.testPattern(width: 400, height: 300)))
    var request = CropRequest()
    request.search.faces = .each
    func error(_ side: Int, sizes: [OutputSize] = []) async throws -> FaceCropError? {
      request.output.smallestSide = side
      request.output.sizes = sizes
      do throws(FaceCropError) {
        var count = 0
        for try await step in cropper.crops(of: source, request: request) {
          if case .crop = step { count += 1 }
        }
        #expect(count == 2 * max(sizes.count, 1))
        return nil
      } catch {
        return error
      }
    }
    #expect(try await error(40) == nil)
    #expect(try await error(41) == .tooSmall(PixelSize(width: 40, height: 30), allowedSide: 41))
    #expect(try await error(40, sizes: [.longSide(100)]) == nil)
    #expect(try await error(90, sizes: [.longSide(100)])?.kind == "too-small")
    request.output.allowsUpscaling = true
    #expect(try await error(90, sizes: [.longSide(100)]) == nil)
  }

  @Test func anAnimationsFirstFrameIsSaidToBeOne() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    var gif = GIFBuilder(width: 40, height: 30)
    gif.frameCount = 2
    let animated = try await cropper.crop(.bytes(gif.encoded()))
    #expect(animated.warnings.first == .firstFrameOnly)
    #expect(try await cropper.crop(.bytes(fixtureBytes("astronaut.jpg"))).warnings.isEmpty)
  }

  /// All kinds of sources give the same image.
  @Test func sourcesOfEveryKindAreTheSamePicture() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let path = fixturePath("astronaut.jpg")
    let url = URL(filePath: path)
    let crops = try await [
      ImageSource.file(path), .url(url), .data(Data(contentsOf: url)), .bytes(fixtureBytes("astronaut.jpg")),
    ].asyncMap { try await cropper.crop($0).crops }
    #expect(crops.allSatisfy { $0 == crops[0] })
    #expect(crops[0][0].size == PixelSize(width: 512, height: 512))
    #expect(throws: FaceCropError.self) { try ImageSource.url(URL(string: "https://example.org/a.jpg")!) }
  }
}

extension Sequence {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
    var all: [T] = []
    for element in self { all.append(try await transform(element)) }
    return all
  }
}
