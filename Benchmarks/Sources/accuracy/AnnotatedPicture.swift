import FaceCrop
import FoundationEssentials
import SystemPackage

/// An image of the set with its annotated faces.
struct AnnotatedPicture {
  let file: String
  /// The size of the displayed image.
  let size: PixelSize
  let faces: [NormalizedRect]
  /// Faces so small or blurred that a detection is neither right nor wrong.
  let doubtful: [NormalizedRect]

  /// The faces that a detector should find: those at least a twentieth of the image's shorter side high.
  var asked: [NormalizedRect] { faces.filter { relativeHeight(of: $0) >= 0.05 } }

  var isFaceless: Bool { faces.isEmpty && doubtful.isEmpty }

  /// Returns a height as a fraction of the image's shorter side.
  func relativeHeight(of box: NormalizedRect) -> Double {
    box.height * Double(size.height) / Double(size.shortSide)
  }

  /// The origin of the image, from its name: the text before the first double underscore, without a number at its end.
  var group: String {
    let prefix = file.firstRange(of: "__").map { file[..<$0.lowerBound] } ?? ""
    return String(prefix.reversed().drop(while: \.isNumber).reversed())
  }

  /// Reads the images in the order of the folder's `annotations.json`.
  static func all(in folder: FilePath) throws -> [AnnotatedPicture] {
    let pictures = try JSONDecoder().decode(
      [AnnotatedPicture].self, from: Data(readingFile: folder.appending("annotations.json").string))
    guard !pictures.isEmpty else { throw AccuracyError("\(folder) has no annotated picture") }
    return pictures
  }
}

extension AnnotatedPicture: Decodable {
  private enum CodingKeys: CodingKey {
    case file, width, height, faces, ignore
  }

  /// Decodes boxes as `[x, y, width, height]` in pixels.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let size = PixelSize(
      width: try container.decode(Int.self, forKey: .width), height: try container.decode(Int.self, forKey: .height))
    func boxes(_ key: CodingKeys) throws -> [NormalizedRect] {
      try (container.decodeIfPresent([[Double]].self, forKey: key) ?? []).map { numbers in
        guard numbers.count == 4 else {
          throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "a box has four numbers")
        }
        return NormalizedRect(
          x: numbers[0] / Double(size.width), y: numbers[1] / Double(size.height),
          width: numbers[2] / Double(size.width), height: numbers[3] / Double(size.height))
      }
    }
    self.size = size
    file = try container.decode(String.self, forKey: .file)
    faces = try boxes(.faces)
    doubtful = try boxes(.ignore)
  }
}
