import Testing

@testable import FaceCrop

@Suite struct AcceptedFormatTests {
  private static let avif: ImageFormat = ImageFormat.avif.isWritten ? .avif : .webp

  /// Lists from browsers, programs and attackers.
  static let lists: [(String, ImageFormat)] = [
    ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", avif),
    ("image/webp,*/*", .webp),
    ("image/avif;q=0.5, image/webp", .webp),
    ("IMAGE/WEBP ; Q=0.9", .webp),
    ("image/avif;q=0,image/webp;q=0,image/*", .jpeg),
    ("*/*", .jpeg), ("image/*", .jpeg), ("", .jpeg), ("text/html", .jpeg), (",;,q=1;;", .jpeg),
    ("image/png", .png), ("image/png;q=0.9,image/jpeg;q=0.3", .png), ("image/jpeg;q=0.9,image/png;q=0.3", .jpeg),
    ("image/png,image/jpeg", .jpeg), ("image/webp;q=2,image/png", .png), ("image/webp;q=nan,image/png", .png),
  ]

  @Test(arguments: lists) func theBestIsChosen(list: String, format: ImageFormat) {
    #expect(ImageFormat.accepted(by: list) == format)
  }

  @Test func formatsHaveTheNeededFeature() {
    #expect(ImageFormat.accepted(by: "image/jpeg", needing: .transparency) == .png)
    #expect(ImageFormat.accepted(by: "*/*", needing: .transparency) == .png)
    #expect(ImageFormat.accepted(by: "image/jpeg,image/webp;q=0.1", needing: .transparency) == .webp)
  }

  /// Animations are WebP for clients that name it, and GIF otherwise.
  @Test func animationsAreWebPOrGIF() {
    for (list, expected) in [
      ("image/avif,image/webp,*/*", ImageFormat.webp), ("image/avif,*/*", .gif), ("*/*", .gif), ("", .gif),
      ("image/gif,image/webp;q=0.5", .gif), ("image/jpeg", .gif), ("image/webp", .webp),
    ] {
      #expect(ImageFormat.accepted(by: list, needing: .animation) == expected, "\(list)")
      #expect(ImageFormat.accepted(by: list, needing: [.animation, .transparency]) == expected, "\(list)")
    }
  }
}
