public import ArgumentParser
public import FaceCrop

// The syntax of values on the command line.

extension FaceSelection: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument {
    case "union": self = .union
    case "largest": self = .largest
    case "sharpest": self = .sharpest
    case "central", "center": self = .central
    case "each": self = .each
    case "tagged": self = .tagged
    default:
      guard let number = Int(argument), number >= 1 else { return nil }
      self = .number(number)
    }
  }

  public static var allValueStrings: [String] {
    ["union", "largest", "sharpest", "central", "each", "tagged", "N"]
  }

  public var defaultValueDescription: String { "union" }
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
  public static var allValueStrings: [String] {
    HelpDefaults.values(allCases.map(\.rawValue), notForSheets: [Self.keep.rawValue])
  }
}
extension HidingMode: ExpressibleByArgument {}
extension HidingShape: ExpressibleByArgument {}
extension ColorPolicy: ExpressibleByArgument {}
extension MetadataPolicy: ExpressibleByArgument {}
extension PhotoStandard: ExpressibleByArgument {}

extension ImageFormat: ExpressibleByArgument {
  public init?(argument: String) {
    // File extensions such as jpg are accepted too.
    let name = argument.lowercased()
    guard
      let format = Self.allCases.first(where: {
        $0.isWritten && ($0.rawValue == name || $0.fileExtensions.contains(name))
      })
    else { return nil }
    self = format
  }

  public static var allValueStrings: [String] { allCases.filter(\.isWritten).map(\.rawValue) }
}

/// A number of bytes above 0.
struct ByteCount: ExpressibleByArgument {
  var value: Int

  init?(argument: String) {
    guard let number = Quantity.bytes.number(in: argument), number > 0 else { return nil }
    value = number
  }
}

/// A number of pixels above 0.
struct PixelCount: ExpressibleByArgument {
  var value: Int

  init?(argument: String) {
    guard let number = Quantity.pixels.number(in: argument), number > 0 else { return nil }
    value = number
  }
}

/// The length of a side in pixels, above 0.
struct SideLength: ExpressibleByArgument {
  var value: Int

  init?(argument: String) {
    guard let number = Quantity.others.number(in: argument), number > 0 else { return nil }
    value = number
  }
}

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

enum ProgressChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, bar, json, none
}

extension Preset: ExpressibleByArgument {
  /// The presets without `fill`, which only `--fill` selects.
  private static let choices = allCases.filter { $0 != .fill }

  public init?(argument: String) {
    guard let preset = Self.choices.first(where: { $0.name == argument }) else { return nil }
    self = preset
  }

  public static var allValueStrings: [String] { choices.map(\.name) }
}

enum PadChoice: String, ExpressibleByArgument, CaseIterable {
  case edge, blur

  var fill: PadFill { self == .edge ? .edge : .blur }
}

/// A color in six hexadecimal digits, or three as in CSS, with or without `#`.
struct HexColor: ExpressibleByArgument {
  var color: BackgroundColor

  var fill: PadFill { .color(red: color.red, green: color.green, blue: color.blue) }

  init?(argument: String) {
    guard let color = BackgroundColor(hexadecimal: argument) else { return nil }
    self.color = color
  }
}

/// A list of distinct shapes: `16:9` or `16:9,1:1,9:16`.
struct ShapeList {
  var shapes: [AspectRatio] = []

  /// The upper bound of the number of shapes.
  static let most = 16

  /// Parses a list; throws the fault as a sentence.
  static func parsed(_ argument: String) throws -> ShapeList {
    var list = ShapeList()
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let shape = AspectRatio(argument: String(part)) else {
        throw ValidationError("'\(part)' is not a shape (write 16:9, or 16:9,1:1,9:16)")
      }
      guard !list.shapes.contains(where: { $0.width * shape.height == shape.width * $0.height }) else {
        throw ValidationError("\(part) occurs twice (give each shape once)")
      }
      list.shapes.append(shape)
    }
    guard list.shapes.count <= most else {
      throw ValidationError("it has \(list.shapes.count) shapes (use up to \(most))")
    }
    return list
  }
}

extension AspectRatio {
  /// The shape in names of files: `16x9`.
  var label: String {
    func text(_ side: Double) -> String { side == side.rounded() && side < 1e9 ? "\(Int(side))" : "\(side)" }
    return "\(text(width))x\(text(height))"
  }
}

/// A list of distinct sides in pixels: `512` or `512,256,128`.
struct SizeList {
  var sides: [Int] = []

  /// Parses a list; throws the fault as a sentence.
  static func parsed(_ argument: String) throws -> SizeList {
    var list = SizeList()
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let side = Int(part) else {
        throw ValidationError("'\(part)' is not a number of pixels (write 512, or 512,256,128)")
      }
      guard (1...OutputSize.largestSide).contains(side) else {
        throw ValidationError("\(side) is out of range (use 1 to \(OutputSize.largestSide) pixels)")
      }
      guard !list.sides.contains(side) else {
        throw ValidationError("\(side) occurs twice (give each size once)")
      }
      list.sides.append(side)
    }
    return list
  }
}
