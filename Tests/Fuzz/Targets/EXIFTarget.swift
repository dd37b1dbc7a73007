@testable import FaceCrop

/// A target that reads EXIF data and rewrites it under every policy, for upright crops and some others.
///
/// Promises: the output has the requested orientation and fits into a JPEG segment. Writing it again from its entries
/// gives the same bytes, so it contains nothing else.
enum EXIFTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let input = FuzzInput(bytes), let exif = EXIF(input.file) else { return }
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
        try Finding.unless(kept.count <= longest, "what is left by \(policy) has \(kept.count) bytes")
        try Finding.unless(again.thumbnail == nil, "a thumbnail is left by \(policy)")
      }
    }
  }

  /// The most bytes of a JPEG segment (T.81, B.1.1.4) after the identifier of EXIF data.
  private static let longest = 65_533 - 6
}
