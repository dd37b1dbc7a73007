/// A size that a platform publishes for images.
///
/// The list has only sizes whose page by the platform itself was found.
public enum SocialFormat: String, Hashable, Sendable, CaseIterable {
  /// The image of a shared link on Facebook, 1200 × 630 pixels.
  case facebookLink = "social-facebook"

  /// The size in pixels.
  public var size: PixelSize {
    switch self {
    case .facebookLink: PixelSize(width: 1_200, height: 630)
    }
  }

  /// The width to the height.
  public var aspect: AspectRatio { AspectRatio(width: Double(size.width), height: Double(size.height)) }

  /// The platform's page.
  public var page: String {
    switch self {
    case .facebookLink: "https://developers.facebook.com/docs/sharing/webmasters/images"
    }
  }

  /// The day on which the page was read, as YYYY-MM-DD.
  public var accessed: String { "2026-11-27" }

  /// The composition: the largest region with the shape, around the people.
  public var composition: Composition { Composition(.fill(aspect)) }
}
