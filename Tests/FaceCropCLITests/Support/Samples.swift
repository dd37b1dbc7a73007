import Foundation
import TestSupport

/// Images that several tests use.
enum Samples {
  /// Returns the file of the portrait, 512×512.
  static func portrait() throws -> [UInt8] { try fixtureBytes("astronaut.jpg") }

  /// Returns an image without a face.
  static func faceless(width: Int = 320, height: Int = 240) throws -> [UInt8] {
    try JPEGRecipe.baseline420.encode(Pixels(width: width, height: height, color: [90, 120, 150]))
  }

  static func twoFaces() throws -> Pixels { try twoAstronauts() }

  /// Returns an image with a small face on the left, and a large one on the right.
  static func smallAndLargeFace() throws -> Pixels {
    let large = try astronaut()
    let small = large.resizedBilinear(width: large.width * 3 / 4, height: large.height * 3 / 4)
    var samples: [UInt8] = []
    for row in 0..<large.height {
      let line =
        row < small.height
        ? Array(small.samples[row * small.width * 3..<(row + 1) * small.width * 3])
        : [UInt8](repeating: 120, count: small.width * 3)
      samples += line + large.samples[row * large.width * 3..<(row + 1) * large.width * 3]
    }
    return Pixels(width: small.width + large.width, height: large.height, channels: 3, samples: samples)
  }

  /// 12 megapixels with a face: long enough to be interrupted.
  static let large = Result { try JPEGRecipe.baseline420.encode(largePortrait(width: 3000, height: 4000)) }
}

/// A plan as it is printed.
struct PlanJSON: Codable, Equatable {
  struct Size: Codable, Equatable {
    var width: Int
    var height: Int
  }
  struct Rect: Codable, Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
  }
  struct FaceJSON: Codable, Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
    var score: Double
  }
  struct Crop: Codable, Equatable {
    var region: Rect
    var faces: [Int]
  }
  var version: Int
  var source: Size
  var detector: String
  var faces: [FaceJSON]
  var crops: [Crop]

  init(_ text: String) throws {
    self = try JSONDecoder().decode(PlanJSON.self, from: Data(text.utf8))
  }

  func encoded() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

  /// Returns a crop's region in whole pixels.
  func pixels(_ index: Int = 0) -> (x: Int, y: Int, width: Int, height: Int) {
    let region = crops[index].region
    func whole(_ value: Double, _ side: Int) -> Int { Int((value * Double(side)).rounded()) }
    return (
      whole(region.x, source.width), whole(region.y, source.height), whole(region.width, source.width),
      whole(region.height, source.height)
    )
  }

}

/// A line of `detect`.
struct DetectJSON: Decodable {
  struct Details: Decodable {
    var kind: String
    var message: String
  }
  var file: String
  var width: Int?
  var height: Int?
  var orientation: Int?
  var detector: String?
  var faces: [PlanJSON.FaceJSON]?
  var error: Details?

  init(_ line: String) throws {
    self = try JSONDecoder().decode(DetectJSON.self, from: Data(line.utf8))
  }
}

/// Returns the keys of a JSON object, to check that there are no unexpected ones.
func keys(_ value: Any?) -> Set<String> {
  Set((value as? [String: Any] ?? [:]).keys)
}

func jsonObject(_ text: String) throws -> [String: Any] {
  try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
}

extension Array where Element: Equatable {
  /// Returns whether it contains `other`.
  func holds(_ other: [Element]) -> Bool {
    guard let first = other.first, other.count <= count else { return other.isEmpty }
    return indices.dropLast(other.count - 1).contains { start in
      self[start] == first && self[start..<start + other.count].elementsEqual(other)
    }
  }
}
