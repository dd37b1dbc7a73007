import TestSupport

@testable import FaceCrop

/// An input: a file, and behind it a few bytes that choose what is done with it.
struct FuzzInput {
  let file: [UInt8]
  private let choices: [UInt8]

  private static let choiceCount = 8

  /// A file with choices that take something of everything: an inner region, the second scale, a look first, the index where
  /// there is one, right checksums.
  static func seed(_ file: some Sequence<UInt8>) -> [UInt8] { Array(file) + [40, 30, 120, 140, 3, 7, 0, 0] }

  /// Nil when it is too short to hold a file.
  init?(_ bytes: [UInt8]) {
    guard bytes.count > Self.choiceCount else { return nil }
    choices = Array(bytes.suffix(Self.choiceCount))
    let file = Array(bytes.dropLast(Self.choiceCount))
    // Only luck makes a right checksum, and little behind a wrong one is reached.
    self.file = choices[5] & 1 == 1 ? PNGBuilder.withRightChecksums(file) : file
  }

  /// JPEG files of one scan are read through their index, which small pictures are not otherwise.
  var usesIndex: Bool { choices[5] & 2 != 0 }
  var looksFirst: Bool { choices[5] & 4 != 0 }
  /// After how many reports of progress the request is cancelled.
  var reportsUntilCancelled: Int { Int(choices[6]) }

  func scale(of scales: [Int]) -> Int { scales[Int(choices[4]) % scales.count] }

  /// A rectangle inside of `size`.
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
