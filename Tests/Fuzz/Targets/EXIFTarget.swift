@testable import FaceCrop

/// EXIF data read and rewritten under every policy, for crops that are upright and for some that are not.
///
/// What is promised: what comes out has the orientation that was asked for, is not longer, and changes no more when it is
/// rewritten again.
enum EXIFTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let input = FuzzInput(bytes), let exif = EXIF(EXIF.prefix + input.file) else { return }
    let size = input.rect(in: PixelSize(width: 40_000, height: 40_000)).size
    for policy in MetadataPolicy.allCases {
      for orientation in [Orientation.up, exif.orientation] {
        guard let kept = exif.kept(by: policy, size: size, orientation: orientation) else {
          try Finding.unless(orientation == .up, "the orientation is lost by \(policy)")
          continue
        }
        guard let again = EXIF(kept) else { throw Finding("what is left by \(policy) cannot be read") }
        try Finding.unless(again.orientation == orientation, "another orientation is left by \(policy)")
        try Finding.unless(
          again.kept(by: policy, size: size, orientation: orientation) == kept, "what is left by \(policy) is not all")
        try Finding.unless(kept.count <= max(exif.bytes.count, longestNew), "what is left by \(policy) is longer")
      }
    }
  }

  /// Two texts of at most 4,096 bytes, and a directory of three entries.
  private static let longestNew = EXIF.prefix.count + 8 + 2 + 3 * 12 + 4 + 2 * 4_096
}
