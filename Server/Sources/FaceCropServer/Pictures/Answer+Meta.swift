import FaceCrop
import Foundation

extension Answer {
  private struct Meta: Encodable {
    var source: PixelSize
    var format: String
    var region: NormalizedRect
    var size: PixelSize
    var faces: [Face]
    /// The places in `faces` of those that the crop is for.
    var chosen: [Int]?
    var warnings: [String]?
  }

  /// Creates JSON with the image's size and format, the region in fractions of it, the response's size, the faces, and
  /// which of them the crop is for.
  init(meta response: ImageResponse, of part: PictureRequest.Part) throws(ImageRequestError) {
    let meta = Meta(
      source: response.sourceSize, format: response.format.rawValue, region: response.region, size: response.image.size,
      faces: response.faces, chosen: Self.chosen(response, part),
      warnings: response.warnings.isEmpty ? nil : response.warnings.map { "\($0)" })
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(meta) else {
      throw .image(.invalidRequest("the result cannot be written as JSON"))
    }
    self.init(mediaType: "application/json", bytes: Array(json) + [UInt8(ascii: "\n")])
  }

  /// Plans the crop again, from the known faces. Nil for parts without faces.
  private static func chosen(_ response: ImageResponse, _ part: PictureRequest.Part) -> [Int]? {
    guard case .faces(let crop) = part, !response.faces.isEmpty else { return nil }
    let crops = try? CropPlanner().crops(
      for: response.faces, in: response.sourceSize, search: crop.search, composition: crop.composition)
    return crops?.first?.faces
  }
}
