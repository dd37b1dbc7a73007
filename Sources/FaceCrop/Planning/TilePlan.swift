/// The overlapping tiles in which faces are searched again that one pass over the whole image is too coarse for: a pure function of what
/// that pass found.
///
/// The whole image is searched at 640 pixels on its longer side, where a face of a group of thirty has 20, and one in a panorama of 8:1
/// has ten. Tiles are cut from a larger version of the image, and each is searched as an image of its own.
struct TilePlan: Equatable {
  /// Of the larger version.
  let size: PixelSize
  /// In the order of their rows.
  let tiles: [PixelRect]

  /// Tiles of one image, whatever the limit allows.
  private static let mostTiles = 1_000
  /// Pixels of a tile's longer side: what detectors take.
  private static let side = Overview.side
  /// Width over height, or its inverse, from which on an image is long.
  private static let longRatio = 3.0
  /// Height of a face, in shorter sides, that a long image's search is not made finer for.
  private static let largeFace = 0.3
  /// Pixels of a long image's shorter side at most: more show no more.
  private static let mostShort = 480
  /// By how much tiles overlap, in shorter sides of a long image, and in sides of another's tiles: faces up to this size are whole in one.
  private static let (longOverlap, overlap) = (0.5, 0.2)
  /// Small faces that are a group, and the height, in longer sides, below which they are small.
  private static let (group, small) = (3, 0.045)
  /// Pixels that a group's face gets in a tile.
  private static let faceHeight = 32.0

  /// - Parameters:
  ///   - image: its size as displayed.
  ///   - faces: found in all of it.
  ///   - most: tiles at most.
  /// - Returns: nil where the pass over all of the image is fine enough.
  init?(for image: PixelSize, faces: [Face], most: Int) {
    let most = min(most, Self.mostTiles)
    guard most > 1, image.longSide > 0 else { return nil }
    let (long, short) = (Double(image.longSide), Double(image.shortSide))
    func height(_ face: Face) -> Double { face.box.height * Double(image.height) }
    if long >= Self.longRatio * short {
      guard !faces.contains(where: { height($0) >= Self.largeFace * short }) else { return nil }
      guard let plan = Self.row(of: image, most: most) else { return nil }
      self = plan
      return
    }
    // A group: several small faces, and no large one.
    let heights = faces.map { height($0) / long }.sorted()
    guard heights.count >= Self.group, heights[heights.count / 2] < Self.small else { return nil }
    guard let plan = Self.grid(of: image, face: heights[heights.count / 2], most: most) else { return nil }
    self = plan
  }

  private init(size: PixelSize, tiles: [PixelRect]) {
    (self.size, self.tiles) = (size, tiles)
  }

  /// One row of tiles along a long image, as large as their number allows.
  private static func row(of image: PixelSize, most: Int) -> TilePlan? {
    let ratio = Double(image.longSide) / Double(image.shortSide)
    // n tiles of `side` with an overlap of `longOverlap` · short cover ratio · short.
    let fitting = Double(most * side) / (ratio + Double(most - 1) * longOverlap)
    let short = min(fitting, Double(mostShort), Double(image.shortSide))
    let size = image.scaled(toLongSide: max(Int(short * ratio), 1))
    guard size.longSide > side else { return nil }
    let starts = starts(of: side, in: size.longSide, overlap: Int(longOverlap * short))
    let isWide = size.width >= size.height
    return TilePlan(
      size: size,
      tiles: starts.prefix(most).map { start in
        isWide
          ? PixelRect(x: start, y: 0, width: side, height: size.height)
          : PixelRect(x: 0, y: start, width: size.width, height: side)
      })
  }

  /// A grid of tiles in which a face of that height, in longer sides, has ``faceHeight`` pixels.
  private static func grid(of image: PixelSize, face: Double, most: Int) -> TilePlan? {
    let wanted = faceHeight / max(face, 1e-6)
    for scale in [wanted, wanted * 0.8, wanted * 0.64, wanted * 0.5] {
      // Tiles show what there is: a detector enlarges them itself.
      let size = image.scaled(toLongSide: max(Int(min(scale, Double(image.longSide))), 1))
      let longest = min(side, Int((Double(side) * Double(size.longSide) / scale).rounded(.up)))
      func counted(_ length: Int) -> [Int] {
        starts(of: min(longest, length), in: length, overlap: Int(overlap * Double(longest)))
      }
      let (columns, rows) = (counted(size.width), counted(size.height))
      guard columns.count * rows.count <= most else { continue }
      guard columns.count * rows.count > 1 else { return nil }
      let (width, height) = (min(longest, size.width), min(longest, size.height))
      return TilePlan(
        size: size,
        tiles: rows.flatMap { y in columns.map { PixelRect(x: $0, y: y, width: width, height: height) } })
    }
    return nil
  }

  /// Where tiles of a length begin, evenly, so that neighbors overlap by so much or more.
  private static func starts(of tile: Int, in length: Int, overlap: Int) -> [Int] {
    guard length > tile else { return [0] }
    let step = max(tile - overlap, 1)
    let count = (length - tile + step - 1) / step + 1
    return (0..<count).map { $0 * (length - tile) / (count - 1) }
  }
}
