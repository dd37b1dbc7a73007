/// A search for the limits of heads: hair, hats, and headwear against the background.
struct HeadFinder {
  /// The minimum height of a face box that shows enough of its head, in pixels.
  static let smallestFace = 12.0

  let image: PixelBuffer
  private let networks: ObjectPool<PersonNetwork>

  /// Creates a search in the upright image in which the faces were found.
  init(in image: PixelBuffer, by networks: ObjectPool<PersonNetwork>) {
    self.image = image.inColor()
    self.networks = networks
  }

  /// Returns the head of a face; nil if the box is too small. The heads of `others`, the other faces in the image, are
  /// excluded.
  func head(of face: Face, among others: [Face], isFine: Bool = true) throws(FaceCropError) -> Head? {
    let box = face.box.frame(in: image.size)
    guard box.height >= Self.smallestFace else { return nil }
    let boxes = others.map { $0.box.frame(in: image.size) }
    return try networks.withItem { (network) throws(FaceCropError) in
      func outline(_ window: PersonMask.Window, outside: [UInt8] = [0, 0, 0]) throws(FaceCropError) -> Seen? {
        let mask = try PersonMask(around: box, window, in: image, outside: outside, by: network)
        return self.outline(of: box, face.isProfile, among: boxes, in: mask)
      }
      let near = isFine ? PersonMask.Window.near : .coarse
      var (window, seen) = (near, try outline(near))
      if seen?.isCut ?? true, let tall = try outline(.tall) {
        (window, seen) = (.tall, tall)
      }
      // Between dark hair and the black outside, the network takes a light background for part of the head.
      if seen?.reachesEdge == true, let background = lightEdge {
        seen = try outline(window, outside: background) ?? seen
      }
      if let plain = seen, !plain.isCut, !plain.found.isJoined {
        seen?.crown += thing(above: (plain.middle, box.y - plain.crown * box.height), box.height, among: boxes)
      }
      return head(of: face, box, seen)
    }
  }

  /// Returns the head of a possible face; nil if no person's head and shoulders are visible.
  func headAndShoulders(of face: Face) throws(FaceCropError) -> Head? {
    let box = face.box.frame(in: image.size)
    guard box.height >= Self.smallestFace else { return nil }
    return try networks.withItem { (network) throws(FaceCropError) in
      let mask = try PersonMask(around: box, .near, in: image, by: network)
      guard mask.showsHeadAndShoulders(of: box, image: image.size),
        let seen = outline(of: box, face.isProfile, among: [], in: mask), !seen.isCut, seen.found.doubt < Self.doubtful
      else { return nil }
      return head(of: face, box, seen)
    }
  }

  /// The longer side of the mask of all people.
  private static let peopleSide = 256

  /// Returns the likely face of a person whose face is not visible, by the person's shape in a mask, and the share of the
  /// image that people cover. The face is nil if no head is seen above shoulders.
  func hiddenFace() throws(FaceCropError) -> (face: Face?, people: Double) {
    let size = image.size.scaled(toLongSide: Self.peopleSide)
    let people = try networks.withItem { (network) throws(FaceCropError) in
      try network.mask(of: image.quicklyResized(to: size))
    }
    let box = HeadShape(in: people, size)?.box.normalized(in: size).clamped()
    let covered = Double(people.count { $0 >= 128 }) / Double(people.count)
    return (box.map { Face(box: $0, score: 0, detectors: [Face.person]) }, covered)
  }

  /// The upper bound of the differences, and the lower bound of the mean, of a plain light background's samples.
  private static let (plain, light) = (8, 128)

  /// The color of the image's uppermost row, if it is plain and light from side to side, so that no head reaches it.
  private var lightEdge: [UInt8]? {
    var color: [UInt8] = []
    for channel in 0..<3 {
      let samples = (0..<image.width).map { image.bytes[3 * $0 + channel] }
      guard let least = samples.min(), let most = samples.max(), Int(most) - Int(least) <= Self.plain else {
        return nil
      }
      color.append(UInt8((Int(least) + Int(most)) / 2))
    }
    return color.reduce(0) { $0 + Int($1) } >= 3 * Self.light ? color : nil
  }

  /// The measurements of a head in a mask.
  private struct Seen {
    /// The distance from the box's top up to the crown, in heights of the box.
    var crown: Double
    /// The middle of the crown, in pixels of the image from the left.
    let middle: Double
    let found: HeadOutline
    /// The distances from the box's center to both sides, in heights of the box.
    let left, right: Double
    /// Whether the mask, but not the image, cuts the head.
    let isCut: Bool
    /// Whether the head seems to reach the image's upper edge.
    let reachesEdge: Bool
    let outline: [NormalizedPoint]
  }

  private func outline(of box: Frame, _ isProfile: Bool, among others: [Frame], in mask: PersonMask) -> Seen? {
    guard let outline = HeadOutline(of: box, isProfile, among: others, in: mask, image: image.size) else { return nil }
    let top = mask.area.y + (Double(outline.rows.lowerBound) + outline.fraction) * mask.scale
    func x(_ column: Int) -> Double { mask.area.x + Double(column) * mask.scale }
    // Shoulders are wider than heads, so only rows down to the mouth count for the sides.
    let last = Int((box.y + Self.sidesEnd * box.height - mask.area.y) / mask.scale)
    let count = max(min(last - outline.rows.lowerBound, outline.spans.count), 1)
    let sides = outline.spans.prefix(count)
    let (left, right) = (sides.map(\.lowerBound).min() ?? 0, (sides.map(\.upperBound).max() ?? 0) + 1)
    let crownRows = outline.spans.prefix(max(Int(Self.crownEnd * box.height / mask.scale), 1))
    let middle = Double(crownRows.reduce(0) { $0 + $1.lowerBound + $1.upperBound + 1 }) / Double(2 * crownRows.count)
    // At the image's upper edge, where the mask is cut within a pixel, the head may continue.
    let atEdge = top < 1.5 * mask.scale
    return Seen(
      crown: (box.y - (atEdge ? 0 : top)) / box.height, middle: mask.area.x + middle * mask.scale, found: outline,
      left: (x(left) - box.midX) / box.height, right: (x(right) - box.midX) / box.height,
      isCut: outline.rows.lowerBound <= 1 && mask.area.y > 0, reachesEdge: atEdge,
      outline: points(of: outline, in: mask))
  }

  /// The ends of a head's sides, below the box's top, and of its crown, below that, in heights of the box.
  private static let (sidesEnd, crownEnd) = (0.8, 0.1)
  /// The points on each side of an outline.
  private static let outlinePoints = 16

  /// Returns a polygon around the head: up its left side and down its right one.
  private func points(of outline: HeadOutline, in mask: PersonMask) -> [NormalizedPoint] {
    let count = min(Self.outlinePoints, outline.spans.count)
    let rows = (0..<count).map { count == 1 ? 0 : $0 * (outline.spans.count - 1) / (count - 1) }
    func point(_ column: Int, _ row: Int) -> NormalizedPoint {
      let x = (mask.area.x + Double(column) * mask.scale) / Double(image.width)
      let y = (mask.area.y + Double(outline.rows.lowerBound + row) * mask.scale) / Double(image.height)
      // The rounding matches the mask's accuracy, and shortens JSON.
      func rounded(_ place: Double) -> Double { (min(max(place, 0), 1) * 10_000).rounded() / 10_000 }
      return NormalizedPoint(x: rounded(x), y: rounded(y))
    }
    return rows.reversed().map { point(outline.spans[$0].lowerBound, $0) }
      + rows.map { point(outline.spans[$0].upperBound + 1, $0) }
  }

  /// The differences from the expected crown, in heights of the box. A crown this much lower is rejected, and one this
  /// much higher is doubtful.
  private static let (tooLow, high) = (0.2, 0.2)
  /// The height of the highest hair. A higher crown belongs to another person.
  private static let highest = 1.7
  /// The fraction of uncertain pixels around the crown from which it is doubtful.
  private static let doubtful = 0.2
  /// The contrast at the crown below which the mask may have followed the background, of 255.
  private static let lowContrast = 20.0

  private func head(of face: Face, _ box: Frame, _ seen: Seen?) -> Head? {
    let edge = box.y / box.height
    let expected = min(Head.Proportions.crown(eyes: face.eyesInBox), edge)
    guard let seen else {
      let side = Head.Proportions.halfWidth
      return Head(crown: expected, confidence: 0.5, left: -side, right: side, outline: nil, of: face, in: image.size)
    }
    var (crown, confidence) = (min(seen.crown, edge), Head.Confidence.sure)
    if seen.found.isJoined {
      (crown, confidence) = (max(crown, expected), Head.Confidence.low)
    } else if seen.isCut {
      if crown > Self.highest { crown = min(expected + Self.high, edge) }
      confidence = Head.Confidence.cut
    } else if crown < expected - Self.tooLow {
      crown = (crown + expected) / 2
      confidence = Head.Confidence.low
    } else if seen.found.doubt > Self.doubtful || seen.found.contrast < Self.lowContrast {
      confidence = Head.Confidence.unclear
    } else if crown > expected + Self.high {
      confidence = Head.Confidence.high
    }
    return Head(
      crown: crown, confidence: confidence, left: seen.left, right: seen.right, outline: seen.outline, of: face,
      in: image.size)
  }
}

extension Head {
  /// The share of crowns with an error of up to a tenth of the face box's height, measured on 169 heads by eye.
  enum Confidence {
    static let sure = 0.95
    /// A high crown: piled hair, a hat, or the background.
    static let high = 0.85
    /// Hair and background look alike.
    static let unclear = 0.8
    /// A crown lower than the face suggests.
    static let low = 0.6
    /// A head taller than the mask.
    static let cut = 0.5
  }

  /// Creates a head from a crown with a confidence of 0…1. Lengths are in heights of the box: up from its top to the
  /// crown, and from its center to the sides, negative to the left. Chin and skull come from the face's mesh, if it has
  /// one.
  fileprivate init?(
    crown: Double, confidence: Double, left: Double, right: Double, outline: [NormalizedPoint]?, of face: Face,
    in image: PixelSize
  ) {
    let (width, height, box) = (Double(image.width), Double(image.height), face.box.frame(in: image))
    let top = box.y - crown * box.height
    var (chin, distance) = (box.maxY, Proportions.height(crown: crown) * box.height)
    if let shape = MeshShape(of: face, in: image) {
      chin = min(box.midY + shape.chin, height)
      distance = shape.headHeight(crown: chin - top, box: box.height)
    }
    let skull = max(chin - distance, top)
    self.init(
      crown: Edge(position: top / height, confidence: confidence),
      skull: Edge(position: skull / height, confidence: min(confidence, 0.85)),
      chin: Edge(position: chin / height, confidence: 0.95),
      left: Edge(position: max((box.midX + left * box.height) / width, 0), confidence: 0.7),
      right: Edge(position: min((box.midX + right * box.height) / width, 1), confidence: 0.7), outline: outline)
    guard isValid else { return nil }
  }
}
