import FaceCrop
import Foundation

extension Answer {
  private struct Meta: Encodable {
    var source: PixelSize
    /// The clockwise degrees by which the image was rotated; nil without `upright=auto`.
    var rotation: Int?
    var format: String
    var region: NormalizedRect
    var size: PixelSize
    var faces: [Face]
    /// The places in `faces` of those that the crop is for.
    var chosen: [Int]?
    /// Empty for none, so that programs can read the list without asking whether it exists.
    var warnings: [String]
  }

  /// Creates JSON with the image's size and format, the region in fractions of it, the response's size, the faces, and
  /// which of them the crop is for. `misses` are clauses about broken rules.
  init(meta response: ImageResponse, of part: PictureRequest.Part, misses: [String]) throws(ServiceError) {
    let crop = Self.crop(response, part)
    let lack = crop.flatMap { Self.lack(of: $0, response, part) }
    // The size of `fit-in` is an upper bound.
    let isBound = if case .whole = part { true } else { false }
    let warnings = response.warnings.filter { !isBound || $0.kind != "smaller" }
    let texts = warnings.map(\.served) + [lack].compactMap(\.self) + misses
    var meta = Meta(
      source: response.sourceSize, format: response.format.rawValue, region: response.region, size: response.image.size,
      faces: response.faces, chosen: crop?.faces, warnings: texts)
    if case .faces(let request) = part, request.search.upright == .auto { meta.rotation = response.rotation.rawValue }
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
  static func crop(_ response: ImageResponse, _ part: PictureRequest.Part) -> CropPlan.Crop? {
    guard case .faces(let crop) = part else { return nil }
    let crops = try? CropPlanner().crops(
      for: response.faces, in: response.sourceSize, search: crop.search, composition: crop.composition)
    // A template's best candidate is no face of the plan.
    return crops?.first ?? CropPlan.Crop(region: response.region, faces: [])
  }

  /// Returns a warning about a crop without the requested face, in the words of the command; nil for one with a face.
  private static func lack(
    of crop: CropPlan.Crop, _ response: ImageResponse, _ part: PictureRequest.Part
  ) -> String? {
    guard case .faces(let request) = part, crop.faces.isEmpty else { return nil }
    let reason =
      switch request.search.faces {
      case .person(let name): "the metadata name no '\(name)'"
      case .tagged: "the metadata name nobody"
      default: "no face was found"
      }
    // The planner knows neither a candidate nor a striking region, so that only their regions differ from its own.
    let result =
      switch request.search.noFace {
      case .whole: "the whole image was used"
      case .attention: "the most striking region was used"
      case .bestGuess where request.composition.layout.template != nil || differs(response, from: crop.region):
        "the best candidate was used"
      default: "the center of the image was used"
      }
    return "\(reason); \(result)"
  }

  /// Returns whether the response shows another region. A cut to the size's shape moves a border by up to 2 pixels.
  private static func differs(_ response: ImageResponse, from region: NormalizedRect) -> Bool {
    let (found, wanted) = (
      PixelRect(covering: response.region, in: response.sourceSize),
      PixelRect(covering: region, in: response.sourceSize)
    )
    let distances = [
      found.x - wanted.x, found.y - wanted.y, found.x + found.width - wanted.x - wanted.width,
      found.y + found.height - wanted.y - wanted.height,
    ]
    return distances.contains { abs($0) > 2 }
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
    /// Empty for none.
    var warnings: [String]
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
        warnings: image.warnings.map(\.served) + [image.shortfall?.served].compactMap(\.self)))
  }
}

extension CropWarning {
  /// The warning with the remedies of URLs instead of the command's.
  fileprivate var served: String {
    switch self {
    case .frame(.facesCut): "\(self) (the preset crop shows all of them)"
    case .doubtfulFaces(let numbers) where numbers.count == 1:
      "\(self) (check it, or show it by adding \(numbers[0]) to except)"
    case .doubtfulFaces: "\(self) (check them, or show some with except)"
    case .missingFaces: "\(self) (/meta/blur lists the faces)"
    default: "\(self)"
    }
  }
}

extension HidingShortfall {
  /// The reason with the remedies of URLs.
  fileprivate var served: String {
    switch self {
    case .noFace: "\(self) (look at the image before you publish it)"
    case .noNumber: "\(self) (/meta/blur lists the faces)"
    case .smaller, .allSmaller: "\(self) (lower min-face, or leave it out)"
    case .allExcepted: "\(self) (leave out except to hide them)"
    case .emptyPlan: "\(self)"
    }
  }
}
