/// The overlapping tiles for a second search with more detail. The plan depends only on the faces of the first search.
///
/// The first search has 640 pixels on the longer side. There a face of a group of thirty has 20 pixels, and one in a
/// panorama of 8:1 has ten. Tiles are cut from a larger version, and each is searched as an image.
struct TilePlan: Equatable {
  let size: PixelSize
  let tiles: [PixelRect]

  /// The upper bound of tiles, for any limit.
  private static let mostTiles = 1_000
  /// The longer side of a tile in pixels, as for detectors.
  private static let side = Overview.side
  /// The aspect ratio, or its inverse, from which an image is long.
  private static let longRatio = 3.0
  /// The height of a face, in shorter sides, from which a long image needs no second search.
  private static let largeFace = 0.3
  /// The upper bound of a long image's shorter side in pixels. More adds nothing.
  private static let mostShort = 480
  /// The overlap of tiles, in shorter sides of a long image, and in sides of a group's tiles. Faces up to this size are
  /// whole in one tile.
  private static let (longOverlap, overlap) = (0.5, 0.2)
  /// The number of small faces in a group, and their maximum height in longer sides.
  private static let (group, small) = (3, 0.045)
  /// The height of a group's face in a tile, in pixels.
  private static let faceHeight = 32.0

  /// Plans up to `most` tiles of an image of this displayed size, by the faces of the first search. Nil if it suffices.
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
    // A group has several small faces, and no large one.
    let heights = faces.map { height($0) / long }.sorted()
    guard heights.count >= Self.group, heights[heights.count / 2] < Self.small else { return nil }
    guard let plan = Self.grid(of: image, face: heights[heights.count / 2], most: most) else { return nil }
    self = plan
  }

  /// Plans up to `most` tiles for a search of the whole image, with detail for faces from this height on, in shorter
  /// sides. With fewer tiles the detail is lower. Nil if one search at the detector's size suffices.
  init?(coveringAll image: PixelSize, face: Double, most: Int) {
    let most = min(most, Self.mostTiles)
    guard most > 1, image.longSide > 0, image.shortSide > 0 else { return nil }
    let ratio = Double(image.longSide) / Double(image.shortSide)
    if ratio >= Self.longRatio, let plan = Self.row(of: image, most: most) {
      self = plan
      return
    }
    guard let plan = Self.grid(of: image, face: face / ratio, most: most) else { return nil }
    self = plan
  }

  private init(size: PixelSize, tiles: [PixelRect]) {
    (self.size, self.tiles) = (size, tiles)
  }

  /// Returns one row of tiles along a long image, as large as their number allows.
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

  /// Returns a grid of tiles in which a face of this height, in longer sides, has ``faceHeight`` pixels.
  private static func grid(of image: PixelSize, face: Double, most: Int) -> TilePlan? {
    let wanted = faceHeight / max(face, 1e-6)
    for scale in [wanted, wanted * 0.8, wanted * 0.64, wanted * 0.5] {
      // Tiles are never enlarged, because a detector does that itself.
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

  /// Returns evenly spaced starts of tiles, with at least this overlap.
  private static func starts(of tile: Int, in length: Int, overlap: Int) -> [Int] {
    guard length > tile else { return [0] }
    let step = max(tile - overlap, 1)
    let count = (length - tile + step - 1) / step + 1
    return (0..<count).map { $0 * (length - tile) / (count - 1) }
  }
}
