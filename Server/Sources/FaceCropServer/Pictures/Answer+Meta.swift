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
  init(meta response: ImageResponse, of part: PictureRequest.Part) throws(ServiceError) {
    let meta = Meta(
      source: response.sourceSize, format: response.format.rawValue, region: response.region, size: response.image.size,
      faces: response.faces, chosen: Self.chosen(response, part),
      warnings: response.warnings.isEmpty ? nil : response.warnings.map { "\($0)" })
    try self.init(json: meta)
  }

  private init(json value: some Encodable) throws(ServiceError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(value) else {
      throw .image(.image(.invalidRequest("the result cannot be written as JSON")))
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

  // MARK: Hidden faces

  private struct HidingMeta: Encodable {
    /// A face with its number.
    struct Numbered: Encodable {
      var number: Int
      var hidden: Bool
      var face: Face

      private enum CodingKeys: CodingKey {
        case number, hidden
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(hidden, forKey: .hidden)
        try face.encode(to: encoder)
      }
    }

    var size: PixelSize
    /// The format of the response.
    var format: String
    var faces: [Numbered]
    /// The number of hidden faces.
    var hidden: Int
    /// The numbers of hidden faces that may be none.
    var doubtful: [Int]
    /// Whether a JPEG was encoded again only where faces are hidden.
    var lossless: Bool
    var warnings: [String]?
  }

  /// Creates JSON with the image's size, the response's format, and all faces with their numbers and whether they are
  /// hidden. Other numbers list the doubtful ones.
  init(meta image: AnonymizedImage) throws(ServiceError) {
    let hidden = Set(image.plan.crops.flatMap(\.faces))
    try self.init(
      json: HidingMeta(
        size: image.size, format: image.format.rawValue,
        faces: image.plan.faces.enumerated().map { index, face in
          HidingMeta.Numbered(number: index + 1, hidden: hidden.contains(index), face: face)
        },
        hidden: hidden.count, doubtful: image.doubtfulFaces, lossless: image.keepsBlocks,
        warnings: image.warnings.isEmpty ? nil : image.warnings.map { "\($0)" }))
  }
}
