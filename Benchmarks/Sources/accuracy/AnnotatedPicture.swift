import FaceCrop
import FoundationEssentials
import SystemPackage

/// A picture of the set, and where its faces are.
struct AnnotatedPicture {
  let file: String
  /// The picture's size as displayed.
  let size: PixelSize
  let faces: [NormalizedRect]
  /// Faces so small or blurred that finding one is neither right nor wrong.
  let doubtful: [NormalizedRect]

  /// The faces that a detector is asked for: those not lower than a twentieth of the picture's shorter side.
  var asked: [NormalizedRect] { faces.filter { relativeHeight(of: $0) >= 0.05 } }

  var isFaceless: Bool { faces.isEmpty && doubtful.isEmpty }

  /// Height as a fraction of the picture's shorter side.
  func relativeHeight(of box: NormalizedRect) -> Double {
    box.height * Double(size.height) / Double(size.shortSide)
  }

  /// Where the picture is from, by its name: what stands before the first double underscore, a number at its end left out.
  var group: String {
    let prefix = file.firstRange(of: "__").map { file[..<$0.lowerBound] } ?? ""
    return String(prefix.reversed().drop(while: \.isNumber).reversed())
  }

  /// The pictures that the folder's `annotations.json` names, in its order.
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

  /// Boxes are `[x, y, width, height]` in pixels.
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
