import TestSupport

@testable import FaceCrop

/// An input: a file, followed by a few bytes that choose the operations.
struct FuzzInput {
  let file: [UInt8]
  private let choices: [UInt8]

  private static let choiceCount = 8

  /// Appends choices: an inner region, the second scale, an overview first, the index if possible, right checksums.
  static func seed(_ file: some Sequence<UInt8>) -> [UInt8] { Array(file) + [40, 30, 120, 140, 3, 7, 0, 0] }

  /// Returns nil if it is too short to contain a file.
  init?(_ bytes: [UInt8]) {
    guard bytes.count > Self.choiceCount else { return nil }
    choices = Array(bytes.suffix(Self.choiceCount))
    let file = Array(bytes.dropLast(Self.choiceCount))
    // Random checksums are almost never right, and code after a wrong one is hardly reached.
    self.file = choices[5] & 1 == 1 ? PNGBuilder.withRightChecksums(file) : file
  }

  /// Whether JPEG files of one scan use the index, even for small images.
  var usesIndex: Bool { choices[5] & 2 != 0 }
  var looksFirst: Bool { choices[5] & 4 != 0 }
  /// The number of progress reports after which the request is cancelled.
  var reportsUntilCancelled: Int { Int(choices[6]) }

  func scale(of scales: [Int]) -> Int { scales[Int(choices[4]) % scales.count] }

  /// Returns a rectangle inside of `size`.
  func rect(in size: PixelSize) -> PixelRect {
    func span(_ start: UInt8, _ length: UInt8, _ side: Int) -> (start: Int, length: Int) {
      let first = Int(start) * side / 256
      return (first, 1 + Int(length) * (side - first - 1) / 255)
    }
    let (x, width) = span(choices[0], choices[2], size.width)
    let (y, height) = span(choices[1], choices[3], size.height)
    return PixelRect(x: x, y: y, width: width, height: height)
  }
}
