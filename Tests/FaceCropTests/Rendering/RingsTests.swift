import Glibc
import TestSupport
import Testing

@testable import FaceCrop

/// Rings of all frequencies, from every format and path, compared with a full decode that Lanczos resizes.
///
/// `FACECROP_RINGS=all` compares more sizes, and prints the table.
@Suite struct RingsTests {
  private static let side = 1_200
  /// The upper bound of the mean difference in levels.
  private static let bound = 1.0
  private static let isTable = unsafe getenv("FACECROP_RINGS") != nil
  private static let sides = isTable ? [1_143, 1_000, 800, 500, 400, 300, 200, 150, 100, 60, 30] : [500, 150]

  /// Rings that get finer outward, up to one black and one white pixel at the middle of each edge.
  private static let rings: Pixels = {
    let middle = Double(side - 1) / 2
    let samples = (0..<side * side).map { place -> UInt8 in
      let (x, y) = (Double(place % side) - middle, Double(place / side) - middle)
      return UInt8((127.5 + 127.5 * cos(.pi * (x * x + y * y) / Double(side))).rounded())
    }
    return Pixels(width: side, height: side, channels: 1, samples: samples)
  }()

  /// The rings in a number of channels. Alpha is constant, so that colors are resized like opaque ones.
  private static func plate(_ channels: Int) -> Pixels {
    if channels == 1 { return rings }
    let alpha: [UInt8] = channels == 4 ? [200] : []
    let samples: [UInt8] = rings.samples.flatMap { sample -> [UInt8] in [sample, sample, sample] + alpha }
    return Pixels(width: side, height: side, channels: channels, samples: samples)
  }

  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case jpeg = "JPEG 4:4:4"
    case subsampled = "JPEG 4:2:0"
    case gray = "JPEG, gray"
    case progressive = "JPEG, progressive"
    case png = "PNG"
    case alphaPNG = "PNG, alpha"
    case interlaced = "PNG, interlaced"
    case webP = "WebP"
    case alphaWebP = "WebP, alpha"
    case tiff = "TIFF"
    case gif = "GIF"
    case jxl = "JPEG XL"
    case alphaJXL = "JPEG XL, alpha"
    #if HEIF
      case heic = "HEIC"
      case avif = "AVIF"
      case alphaAVIF = "AVIF, alpha"
    #endif

    var testDescription: String { rawValue }

    func file(_ orientation: Orientation) throws -> [UInt8] {
      func jpeg(_ recipe: JPEGRecipe) throws -> [UInt8] {
        try recipe.with {
          $0.quality = 95
          if orientation != .up {
            $0.segments = [.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue)))]
          }
        }.encode(plate(recipe.channels))
      }
      func jxl(_ channels: Int) throws -> [UInt8] {
        try JXLRecipe().with { $0.orientation = orientation.rawValue }.encode(plate(channels))
      }
      switch self {
      case .jpeg: return try jpeg(.baseline444)
      case .subsampled: return try jpeg(.baseline420)
      case .gray: return try jpeg(.gray)
      case .progressive: return try jpeg(.progressive)
      case .png: return try encodePNG(plate(3))
      case .alphaPNG: return try encodePNG(plate(4))
      case .interlaced: return try encodePNG(plate(3), isInterlaced: true)
      case .webP: return try encodeWebP(plate(3).rgba, quality: nil)
      case .alphaWebP: return try encodeWebP(plate(4), quality: nil)
      case .tiff: return try encodeTIFF(plate(3))
      case .gif: return try encodeGIF(plate(1), colors: (0..<256).flatMap { [UInt8($0), UInt8($0), UInt8($0)] })
      case .jxl: return try jxl(3)
      case .alphaJXL: return try jxl(4)
      #if HEIF
        case .heic: return try heif(.hevc, orientation)
        case .avif, .alphaAVIF: return try heif(.av1, orientation)
      #endif
      }
    }

    #if HEIF
      private func heif(_ codec: CodedItem.Codec, _ orientation: Orientation) throws -> [UInt8] {
        // Quarter turns counterclockwise (ISO/IEC 23008-12, 6.5.10).
        let turns: [Orientation: UInt8] = [.right: 3, .left: 1]
        let properties = turns[orientation].map { [HEIFBuilder.box("irot", [$0])] } ?? []
        var builder = HEIFBuilder()
        builder.brand = codec == .hevc ? "heic" : "avif"
        let color = builder.add(try CodedItem(plate(3), codec: codec, chroma: "444", quality: 95), properties)
        if self == .alphaAVIF {
          let flat = Pixels(width: side, height: side, color: [200])
          let alpha = builder.add(try CodedItem(flat, codec: codec, quality: 95), properties + [HEIFBuilder.alpha])
          builder.references.append(("auxl", alpha, [color]))
        }
        return builder.encoded()
      }
    #endif

    /// The orientations that a test can write into the file.
    var orientations: [Orientation] {
      switch self {
      case .png, .alphaPNG, .interlaced, .webP, .alphaWebP, .tiff, .gif: [.up]
      default: [.up, .right, .left]
      }
    }
  }

  /// Makes the whole image in a size, of the longer side; nil for its own.
  private static func output(_ file: [UInt8], _ side: Int?) async throws -> Pixels {
    var request = CropRequest()
    request.search.noFace = .whole
    request.output.sizes = side.map { [.longSide($0)] } ?? []
    let crop = try await FaceCropper(detector: StubDetector()).crop(.bytes(file), request: request).crops[0]
    let pixels = Pixels(crop.pixels)
    return Pixels(
      width: pixels.width, height: pixels.height, channels: 1,
      samples: stride(from: 0, to: pixels.samples.count, by: pixels.channels).map { pixels.samples[$0] })
  }

  @Test(arguments: Kind.allCases) func outputsAreTheWindows(kind: Kind) async throws {
    for orientation in kind.orientations {
      let file = try kind.file(orientation)
      let full = try await Self.output(file, nil)
      #expect(full.width == Self.side && full.height == Self.side)
      var row = "\(kind.rawValue), EXIF \(orientation.rawValue):"
      for side in Self.sides {
        let made = try await Self.output(file, side)
        let difference = made.meanDifference(from: referenceLanczos(full, width: side, height: side))
        #expect(difference <= Self.bound, "\(kind), \(orientation), \(side): \(difference)")
        row += " \(side) \((difference * 100).rounded() / 100)"
      }
      if Self.isTable { print(row) }
    }
  }
}
