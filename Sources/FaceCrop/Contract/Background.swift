/// A new background behind the people of an output.
///
/// facecrop finds the people in the output, and cuts them out along hair and clothes. Other people than those of the
/// crop belong to the background, unless ``keepsPeople`` is set. Overlapping bodies are cut where they meet.
public struct Background: Hashable, Sendable {
  /// The content of a background.
  public enum Fill: Hashable, Sendable {
    /// One color, in the colors of the output.
    case color(BackgroundColor)
    /// The image's own background, blurred without the people. The number is the standard deviation as a fraction of the
    /// output's longer side, within ``strengths``.
    case blur(Double)
    /// Nothing. The output has RGBA pixels, and a format without transparency shows its own background color.
    case transparent
    /// An image, which covers the whole output. Its longer axis is cropped at both ends.
    case image(BackgroundImage)

    /// The allowed strengths of a blur.
    public static let strengths = 0.005...0.2
    /// The default strength of a blur.
    public static let usualStrength = 0.02
  }

  /// The content of the background.
  public var fill: Fill
  /// Whether people that do not belong to the crop stay, too. Default false.
  public var keepsPeople: Bool
  /// Whether an unsure cut-out is an error, ``FaceCropError/unsureCutout(confidence:)``, instead of a
  /// ``CropWarning/unsureCutout(confidence:)``. Default false.
  public var failsIfUnsure: Bool

  /// The confidence below which a cut-out is unsure.
  public static let leastConfidence = 0.8

  /// Creates a background.
  public init(_ fill: Fill, keepsPeople: Bool = false, failsIfUnsure: Bool = false) {
    (self.fill, self.keepsPeople, self.failsIfUnsure) = (fill, keepsPeople, failsIfUnsure)
  }
}

extension Background.Fill {
  /// Reads a fill from text: `white`, a color in three or six hexadecimal digits, `blur`, `blur:N` with the strength in
  /// percent, or `transparent`. Nil for other texts.
  public init?(_ text: String) {
    switch text {
    case "white": self = .color(.white)
    case "transparent": self = .transparent
    case "blur": self = .blur(Self.usualStrength)
    case _ where text.hasPrefix("blur:"):
      guard let percent = Double(text.dropFirst(5)), Self.strengths.contains(percent / 100) else { return nil }
      self = .blur(percent / 100)
    default:
      guard let color = BackgroundColor(hexadecimal: text) else { return nil }
      self = .color(color)
    }
  }
}

/// An image as a background: the bytes of its file, with a checked header. Create it with
/// ``FaceCropper/backgroundImage(from:)``.
public struct BackgroundImage: Hashable, Sendable {
  /// The bytes of the file.
  public let bytes: [UInt8]
  /// The upper bound of the memory for decoding it, in bytes.
  public let memory: Int
  let digest: ContentHash

  init(bytes: [UInt8], memory: Int) {
    self.bytes = bytes
    self.memory = memory
    digest = ContentHash(of: bytes)
  }

  public static func == (first: BackgroundImage, second: BackgroundImage) -> Bool { first.digest == second.digest }
  public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
