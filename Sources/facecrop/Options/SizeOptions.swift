import ArgumentParser
import FaceCrop

/// The size and shape of the output.
struct SizeOptions: ParsableArguments {
  @Option(.of("size", .crop), parse: SizeChoice.parsed) var size: SizeChoice?
  @Option(.of("aspect")) var aspect: AspectRatio?
  @Option(.of("fill"), parse: AspectRatio.list) var fill: [AspectRatio] = []
  @Option(.of("min-size")) var minSize: Int?
  @Flag(.of("upscale")) var upscale = false
  @Option(.of("dpi")) var dpi: Int?

  var perInch: Int { dpi ?? PrintSize.usualResolution }

  func validate() throws {
    if isOnPaper || box.width != nil && box.height != nil, aspect != nil || fills {
      throw ValidationError(
        "--size already sets the shape (leave out \(fills ? "--fill" : "--aspect"), or one of the sides)")
    }
    if fills, aspect != nil { throw ValidationError("--fill already sets the shape (leave out --aspect)") }
    if fill.count > 1, size != nil, sides.isEmpty {
      throw ValidationError("--fill already sets the shapes (write the longer side as --size 512)")
    }
  }

  /// Refuses sizes on paper that no output can have, and outputs below the minimum size.
  func check() throws(ValidationError) {
    let longest = try pixels()?.longSide ?? [box.width, box.height].compactMap { $0 }.max()
    if let minSize, let least = sides.min() ?? longest, least < minSize {
      throw ValidationError(
        "--min-size \(minSize) is larger than the requested output of \(least) pixels (choose a smaller --min-size)")
    }
  }

  /// Whether no option sets the size or the shape.
  var isFree: Bool { size == nil && aspect == nil && !fills }

  /// Whether regions are the largest ones with a shape.
  var fills: Bool { !fill.isEmpty }

  /// The names of the outputs of a crop: the sides, the shapes, or both; empty for a single output of the region's size.
  var labels: [String] {
    let numbers = sides.map { "\($0)" }
    guard fill.count > 1 else { return numbers }
    return fill.flatMap { shape in
      numbers.count > 1 ? numbers.map { "\(shape.label)-\($0)" } : [shape.label]
    }
  }

  /// The longer sides, in the order of the command line.
  private var sides: [Int] { if case .sides(let sides)? = size { sides } else { [] } }
  private var box: (width: Int?, height: Int?) {
    if case .box(let width, let height)? = size { (width, height) } else { (nil, nil) }
  }
  /// Whether the size is one on paper.
  var isOnPaper: Bool { if case .paper? = size { true } else { false } }

  /// Returns the size on paper in pixels; nil without one. Throws an error for one that no output can have.
  private func pixels() throws(ValidationError) -> PixelSize? {
    guard case .paper(let size)? = size else { return nil }
    return try size.pixels(perInch: perInch)
  }

  /// The output sizes; empty for the region's own size.
  var outputs: [OutputSize] {
    if let exact = try? pixels() { return [.exact(width: exact.width, height: exact.height)] }
    switch box {
    case (let width?, let height?): return [.exact(width: width, height: height)]
    case (let width?, nil): return [.width(width)]
    case (nil, let height?): return [.height(height)]
    case (nil, nil): break
    }
    guard fill.count > 1 else { return sides.map { .longSide($0) } }
    return fill.flatMap { shape in
      sides.isEmpty ? [.filling(shape, longSide: nil)] : sides.map { .filling(shape, longSide: $0) }
    }
  }
}
