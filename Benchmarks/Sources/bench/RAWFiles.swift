import FoundationEssentials
import TestSupport

/// RAW files of every kind whose preview is a given JPEG, for `make bench-raw`.
enum RAWFiles {
  /// Bytes in place of the sensor's samples.
  private static let samples = 60_000_000

  /// Writes `preview.KIND` for each kind.
  static func write(of jpeg: String, into folder: String) throws {
    let preview = try [UInt8](Data(contentsOf: URL(filePath: jpeg)))
    let thumbnail = try JPEGRecipe.baseline420.encode(.testPattern(width: 160, height: 120))
    var random = SplitMix64(seed: 1)
    // Contains no marker of a JPEG.
    let samples = (0..<samples / 8).flatMap { _ in (random.next() & 0x7F7F_7F7F_7F7F_7F7F).littleEndianBytes }
    for kind in RAWBuilder.Kind.allCases {
      let file = RAWBuilder(kind, preview: preview, thumbnail: thumbnail, samples: samples).encoded()
      try Data(file).write(to: URL(filePath: folder).appending(path: "preview.\(kind.rawValue)"))
    }
  }
}
