import ArgumentParser
import FaceCrop

/// The size and shape of the output in pixels.
struct SizeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Set the longer side in pixels, or several sides. (examples: 512 or 512,256)", valueName: "n"),
    transform: SizeList.parsed)
  var size = SizeList()

  @Option(help: ArgumentHelp("Set the output width. (range: 1 to 65535 pixels)", valueName: "n"))
  var width: Int?

  @Option(help: ArgumentHelp("Set the output height. (range: 1 to 65535 pixels)", valueName: "n"))
  var height: Int?

  @Option(help: ArgumentHelp("Set the shape of the crop region. (examples: 1:1, 4:5)", valueName: "w:h"))
  var aspect: AspectRatio?

  @Option(
    help: ArgumentHelp("Take the largest region with this shape, around the people. (example: 16:9)", valueName: "w:h"))
  var fill: AspectRatio?

  @Option(
    help: ArgumentHelp(
      "Take the largest region for each shape, from one search for faces. (example: 16:9,1:1,9:16)", valueName: "list"),
    transform: ShapeList.parsed)
  var fillSizes = ShapeList()

  @Option(
    help: ArgumentHelp(
      "Fail if the longer side of an output would have fewer pixels. (example: 300)", valueName: "n"))
  var minSize: Int?

  @Flag(help: "Enlarge a crop region that has fewer pixels than the output.")
  var upscale = false

  func validate() throws {
    for (option, side) in [("--width", width), ("--height", height), ("--min-size", minSize)] {
      if let side, !(1...OutputSize.largestSide).contains(side) {
        throw ValidationError("\(option) \(side) is out of range (use 1 to \(OutputSize.largestSide) pixels)")
      }
    }
    if aspect != nil && width != nil && height != nil {
      throw ValidationError("--width and --height already set the shape (leave out --aspect or one of the sides)")
    }
    if fill != nil, aspect != nil || width != nil && height != nil {
      throw ValidationError("--fill already sets the shape (leave out --aspect, and --width or --height)")
    }
    if !fillSizes.shapes.isEmpty, fill != nil || aspect != nil || isGiven {
      throw ValidationError(
        "--fill-sizes already sets the shapes (leave out --fill, --aspect, --width and --height, or use --size)")
    }
    if isGiven && !sides.isEmpty {
      throw ValidationError("--size excludes --width and --height (leave out --size or both of the others)")
    }
  }

  /// Refuses pixel sizes together with a size on paper, and outputs below the minimum size.
  func check(_ printing: PrintOptions) throws(ValidationError) {
    if printing.printSize != nil, !isFree {
      throw ValidationError(
        "--print sets the size and the shape (leave out --size, --width, --height, --aspect, --fill and --fill-sizes)")
    }
    let longest = (try printing.pixels)?.longSide ?? [width, height].compactMap { $0 }.max()
    if let minSize, let least = sides.min() ?? longest, least < minSize {
      throw ValidationError(
        "--min-size \(minSize) is larger than the requested output of \(least) pixels (choose a smaller --min-size)")
    }
  }

  /// Whether no option sets the size or the shape.
  var isFree: Bool { !isGiven && sides.isEmpty && aspect == nil && !fills }

  /// Whether regions are the largest ones with a shape.
  var fills: Bool { fill != nil || !fillSizes.shapes.isEmpty }

  /// The names of the outputs of a crop: the sides, the shapes, or both; empty for a single output of the region's size.
  var labels: [String] {
    let numbers = sides.map { "\($0)" }
    guard !fillSizes.shapes.isEmpty else { return numbers }
    return fillSizes.shapes.flatMap { shape in
      numbers.count > 1 ? numbers.map { "\(shape.label)-\($0)" } : [shape.label]
    }
  }

  private var isGiven: Bool { width != nil || height != nil }

  /// The longer sides, in the order of the command line.
  var sides: [Int] { size.sides }

  /// The width and height, if both are given.
  var exact: PixelSize? {
    guard let width, let height else { return nil }
    return PixelSize(width: width, height: height)
  }

  /// The output sizes; empty for the region's own size.
  var outputs: [OutputSize] {
    if let exact { return [.exact(width: exact.width, height: exact.height)] }
    if let width { return [.width(width)] }
    if let height { return [.height(height)] }
    guard !fillSizes.shapes.isEmpty else { return sides.map { .longSide($0) } }
    return fillSizes.shapes.flatMap { shape in
      sides.isEmpty ? [.filling(shape, longSide: nil)] : sides.map { .filling(shape, longSide: $0) }
    }
  }
}
