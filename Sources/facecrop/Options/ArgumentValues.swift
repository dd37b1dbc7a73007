public import ArgumentParser
public import FaceCrop

// The syntax of values on the command line.

extension FaceSelection: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument {
    case "union": self = .union
    case "prominent": self = .prominent
    case "largest": self = .largest
    case "sharpest": self = .sharpest
    case "central", "center": self = .central
    case "each": self = .each
    case "tagged": self = .tagged
    case _ where argument.hasPrefix("person:"):
      let name = argument.dropFirst("person:".count)
      guard !name.allSatisfy(\.isWhitespace), name.utf8.count <= 1_024 else { return nil }
      self = .person(String(name))
    default:
      guard let number = Int(argument), number >= 1 else { return nil }
      self = .number(number)
    }
  }

  public static var allValueStrings: [String] { OptionFact.of("faces", .crop).choices }
}

extension FaceHeight: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

extension Padding: ExpressibleByArgument {
  public init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? -1 }
    guard numbers.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return nil }
    switch numbers.count {
    case 1: self.init(numbers[0])
    case 4: self.init(top: numbers[0], right: numbers[1], bottom: numbers[2], left: numbers[3])
    default: return nil
    }
  }
}

extension AspectRatio: ExpressibleByArgument {
  public init?(argument: String) {
    let sides = argument.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy({ $0.isFinite && $0 > 0 }) else { return nil }
    self.init(width: sides[0], height: sides[1])
  }
}

extension NoFacePolicy: ExpressibleByArgument {}
extension FaceOrder: ExpressibleByArgument {}
extension UprightPolicy: ExpressibleByArgument {}
extension AnimationPolicy: ExpressibleByArgument {
  public static var allValueStrings: [String] { OptionFact.of("animation").choices }
}
extension GainMapPolicy: ExpressibleByArgument {
  public static var allValueStrings: [String] { OptionFact.of("gain-map").choices }
  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
extension BlurMode: ExpressibleByArgument {}
extension BlurShape: ExpressibleByArgument {}
extension ColorPolicy: ExpressibleByArgument {}
extension MetadataPolicy: ExpressibleByArgument {}
extension PhotoStandard: ExpressibleByArgument {}
extension ProgressChoice: ExpressibleByArgument {}

enum DetectorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, haar, yunet

  /// Returns the detector. With `looksAgain`, it is for more than one image.
  func detector(looksAgain: Bool) -> any FaceDetector {
    switch self {
    case .auto, .yunet: YuNetFaceDetector(keepsMemory: looksAgain)
    case .haar: HaarFaceDetector(keepsModels: looksAgain)
    }
  }
}

extension Preset: ExpressibleByArgument {
  public init?(argument: String) {
    guard Self.allValueStrings.contains(argument) else { return nil }
    self.init(name: argument)
  }

  public static var allValueStrings: [String] { OptionFact.of("preset", .crop).choices }
}

extension BackgroundColor {
  /// Parses six hexadecimal digits, or three as in CSS, with or without `#`.
  static let parsed: @Sendable (String) -> BackgroundColor? = { BackgroundColor(hexadecimal: $0) }

  var fill: PadFill { .color(red: red, green: green, blue: blue) }
}

extension AspectRatio {
  /// The upper bound of the number of shapes in a list.
  private static let most = 16

  /// Parses a list of distinct shapes, `16:9` or `16:9,1:1,9:16`; throws the fault as a sentence.
  static func list(_ argument: String) throws -> [AspectRatio] {
    var shapes: [AspectRatio] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let shape = AspectRatio(argument: String(part)) else {
        throw ValidationError("'\(part)' is not a shape (write 16:9, or 16:9,1:1,9:16)")
      }
      guard !shapes.contains(where: { $0.width * shape.height == shape.width * $0.height }) else {
        throw ValidationError("\(part) occurs twice (give each shape once)")
      }
      shapes.append(shape)
    }
    guard shapes.count <= most else { throw ValidationError("it has \(shapes.count) shapes (use up to \(most))") }
    return shapes
  }

  /// The shape in names of files: `16x9`.
  var label: String {
    func text(_ side: Double) -> String { side == side.rounded() && side < 1e9 ? "\(Int(side))" : "\(side)" }
    return "\(text(width))x\(text(height))"
  }
}

/// A size: distinct longer sides in pixels (`512` or `512,256`), a width and a height or one of them (`300x400`, `300x`,
/// `x400`), or a size on paper (`35x45mm`).
enum SizeChoice {
  case sides([Int])
  case box(width: Int?, height: Int?)
  case paper(PrintSize)

  /// Parses a size; throws the fault as a sentence.
  static func parsed(_ argument: String) throws -> SizeChoice {
    if PrintSize.hasUnit(argument) { return .paper(try PrintSize.parsed(argument)) }
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
    if parts.count == 2, parts.contains(where: { !$0.isEmpty }) {
      let sides = try parts.map { $0.isEmpty ? nil : try side($0) }
      return .box(width: sides[0], height: sides[1])
    }
    var sides: [Int] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let side = try side(part)
      guard !sides.contains(side) else { throw ValidationError("\(side) occurs twice (give each size once)") }
      sides.append(side)
    }
    return .sides(sides)
  }

  private static func side(_ text: Substring) throws -> Int {
    guard let side = Int(text) else {
      throw ValidationError("'\(text)' is not a number of pixels (write \(OptionFact.of("size", .crop).syntax!))")
    }
    guard (1...OutputSize.largestSide).contains(side) else {
      throw ValidationError("\(side) is out of range (use 1 to \(OutputSize.largestSide) pixels)")
    }
    return side
  }
}
