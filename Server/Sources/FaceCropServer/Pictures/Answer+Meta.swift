import FaceCrop
import Foundation

extension Answer {
  private struct Meta: Encodable {
    var source: PixelSize
    var format: String
    var region: NormalizedRect
    var size: PixelSize
    var faces: [Face]
    var warnings: [String]?
  }

  /// Creates JSON with the image's size and format, the region in fractions of it, the response's size, and the faces.
  init(meta response: ImageResponse) throws(ImageRequestError) {
    let meta = Meta(
      source: response.sourceSize, format: response.format.rawValue, region: response.region, size: response.image.size,
      faces: response.faces, warnings: response.warnings.isEmpty ? nil : response.warnings.map { "\($0)" })
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(meta) else {
      throw .picture(.invalidRequest("the result cannot be written as JSON"))
    }
    self.init(mediaType: "application/json", bytes: Array(json) + [UInt8(ascii: "\n")])
  }
}
