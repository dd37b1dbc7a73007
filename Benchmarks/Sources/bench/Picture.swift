import FaceCrop
import FoundationEssentials
import SystemPackage
import TestSupport

/// A generated photo: a portrait on a textured background, with noise that makes the file as large as a camera's.
///
/// All show the same scene at their size: one face in the middle, a fifth of the image's height.
struct Picture {
  let name: String
  /// Pixels.
  let width: Int
  let height: Int
  let isProgressive: Bool

  static let baseline = Picture(name: "12 MP baseline", width: 4_000, height: 3_000, isProgressive: false)
  static let progressive = Picture(name: "12 MP progressive", width: 4_000, height: 3_000, isProgressive: true)
  static let middle = Picture(name: "50 MP baseline", width: 8_160, height: 6_120, isProgressive: false)
  /// An image as large as `Limits` allows by default.
  static let large = Picture(name: "100 MP baseline", width: 11_544, height: 8_658, isProgressive: false)
  static let all = [baseline, progressive, middle, large]

  /// The padding that makes the region 1000 × 1000 pixels in the 12 MP images, in fractions of `face`.
  static let padding = 1.0 / 3
  /// The square face box, as a detector would return it.
  static let face = NormalizedRect(x: 0.5 - 0.075, y: 0.5 - 0.1, width: 0.15, height: 0.2)
  /// A face as large as ``face``, so low that its region reaches the last row.
  static let lowFace = NormalizedRect(x: 0.5 - 0.075, y: 1 - 0.2 * (1 + padding), width: 0.15, height: 0.2)

  private static let folder = ".build/bench-pictures"
  var path: String { "\(Self.folder)/\(name.replacing(" ", with: "-")).jpg" }
  var source: ImageSource { .file(FilePath(path)) }

  func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// Returns the size of the file in bytes. A mapped file costs this process no memory.
  func fileSize() throws -> Int {
    try Data(contentsOf: URL(filePath: path), options: .alwaysMapped).count
  }

  /// Bytes of the coefficients in libjpeg at 4:2:0: six blocks of 64, two bytes each, for 16 × 16 pixels.
  var coefficientBytes: Int { (width + 15) / 16 * ((height + 15) / 16) * 6 * 64 * 2 }

  /// Makes the images that are still missing.
  static func generateMissing() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for picture in all where !FileManager.default.fileExists(atPath: picture.path) {
      try picture.generate()
    }
  }

  private func generate() throws {
    let size = PixelSize(width: width, height: height)
    try Self.encoded(size, seed: 1992, progressive: isProgressive).write(to: URL(filePath: path), options: .atomic)
  }

  /// Makes the 12 MP baseline image with other noise.
  static func variation(_ number: Int) throws -> Data {
    try encoded(PixelSize(width: baseline.width, height: baseline.height), seed: UInt64(number))
  }

  /// Writes a baseline image of any size. An image that is higher than 3:4 has more background above and below.
  ///
  /// - Parameter faces: 1, or 2 side by side, equally large.
  static func draw(_ size: PixelSize, faces: Int, into file: String) throws {
    guard size.height * 4 >= size.width * 3 else { throw BenchError("an image must be at least 3/4 as high as wide") }
    try encoded(size, faces: faces, seed: 1992).write(to: URL(filePath: file), options: .atomic)
  }

  private static func encoded(
    _ size: PixelSize, faces: Int = 1, seed: UInt64, progressive: Bool = false
  ) throws -> Data {
    let recipe = JPEGRecipe.baseline420.with {
      $0.quality = 85
      $0.progressive = progressive
    }
    let scene = try scene(height: max(750, (size.height * 1_000 + size.width / 2) / size.width), faces: faces)
    // Only the noise makes the file large, since enlarged images have no detail.
    return Data(
      try recipe.encode(
        scene.resizedBilinear(width: size.width, height: size.height).addingNoise(amplitude: 22, seed: seed)))
  }

  /// Makes the scene at 1,000 × 750 pixels.
  static func small() throws -> [UInt8] { try JPEGRecipe.baseline420.encode(scene()) }

  /// Draws the scene before it is enlarged, 1,000 pixels wide.
  private static func scene(height: Int = 750, faces: Int = 1) throws -> Pixels {
    let width = 1_000
    let faceHeight = Int(face.height * 750)
    let astronaut = try astronaut()
    let side = astronaut.width * faceHeight / astronautFace.height
    let portrait = astronaut.resizedBilinear(width: side, height: side)
    let middle = (astronautFace.x + astronautFace.width / 2) * faceHeight / astronautFace.height
    let top = height / 2 - (astronautFace.y + astronautFace.height / 2) * faceHeight / astronautFace.height

    let ground = Pixels.testPattern(width: width / 4, height: height / 4, seed: 12)
      .resizedBilinear(width: width, height: height)
    var samples = ground.samples
    for place in 0..<faces {
      let left = width * (2 * place + 1) / (2 * faces) - middle
      let columns = max(-left, 0)..<min(side, width - left)
      for row in 0..<min(side, height - top) {
        let start = ((top + row) * width + left + columns.lowerBound) * 3
        let from = (row * side + columns.lowerBound) * 3
        samples.replaceSubrange(
          start..<start + columns.count * 3, with: portrait.samples[from..<from + columns.count * 3])
      }
    }
    return Pixels(width: width, height: height, channels: 3, samples: samples)
  }
}
