internal import Glibc

/// A search for the frame around a head with the lowest cost (``FramingCosts``).
///
/// All costs are piecewise linear in the position. For each size in a series, the best position is therefore at one of
/// a few points, and only these are tried. The result is deterministic.
struct FrameSearch {
  let head: FramedHead
  /// The faces of other people.
  var neighbors: [Frame] = []
  private let ratio: Double
  /// The requested height of the frame, the positions of eyes and center in it, and the space above.
  private(set) var height: Double
  private var eyeLine: Double
  private var middle = 0.5
  /// The lowest place of the eyes; that of several heads is free.
  private var lowestEyes: Double { head.count > 1 ? 1 : eyeLine + FramingCosts.mostLowEyes }
  private let headroom: Double
  /// The rules that the frame is to keep; nil for none.
  private var rules: PlacementRules?
  /// The minimum height of a frame in which the head is not too large.
  private let lowest: Double

  /// The range and step of frame sizes, as exponents of e relative to the requested size.
  private static let (smallest, largest, step) = (-1.5, 0.5, 0.025)
  /// A length beyond every image.
  private static let endless = 1e9

  init(_ framing: Framing, around head: FramedHead, neighbors: [Frame] = []) {
    self.head = head
    self.neighbors = neighbors
    ratio = min(max(framing.aspect.width / framing.aspect.height, 1e-9), 1e9)
    let common = Head.Proportions.height
    let asked = max(head.height / (framing.faceRatio * common), head.box.height)
    // Several heads side by side can need more width than one.
    let wide = head.count > 1 ? (head.right - head.left) * (1 + 2 * FramingCosts.freeMiddle) : head.box.width
    height = min(max(asked, wide / ratio), Self.endless)
    lowest = min(head.height / (max(framing.largestFaceRatio, framing.faceRatio) * common), height)
    eyeLine = framing.eyeLine
    headroom = framing.headroom
    rules = head.count == 1 ? framing.standard.map { PlacementRules($0.placement) } : nil
  }

  /// The face box, extended to the crown with a small margin, and down to the chin.
  var wholeHead: Frame {
    let top = min(head.crown, head.box.y) - 0.03 * head.box.height
    return Frame(x: head.box.x, y: top, width: head.box.width, height: max(head.chin, head.box.maxY) - top)
  }

  /// Another person's face, and its visible fraction in a frame's rows.
  private struct Neighbor {
    let face: Frame
    let seen: Double
  }

  /// Returns the frame with the lowest cost, inside the image or not. Padding is in fractions of the face box.
  func frame(padding: Padding) -> Frame {
    let inner = cheapest(in: nil)
    guard padding != Padding() else { return inner }
    func margin(_ part: Double, _ side: Double) -> Double { min(part * side, Self.endless) }
    let (top, bottom) = (margin(padding.top, head.box.height), margin(padding.bottom, head.box.height))
    let (left, right) = (margin(padding.left, head.box.width), margin(padding.right, head.box.width))
    let padded = Frame(
      x: inner.x - left, y: inner.y - top, width: inner.width + left + right, height: inner.height + top + bottom)
    // If the padding changes the aspect, the shorter side grows about its center.
    let outer = max(padded.height, padded.width / ratio)
    return Frame(
      x: padded.midX - outer * ratio / 2, y: padded.y - (outer - padded.height) / 2, width: outer * ratio, height: outer
    )
  }

  /// Returns the frame with the lowest cost inside the image. Padding without room is reduced.
  func frame(padding: Padding, in picture: PixelSize) -> Frame { padded(by: padding).cheapest(in: picture) }

  /// Returns a search in which the requested frame is the padded one.
  func padded(by padding: Padding) -> FrameSearch {
    guard padding != Padding() else { return self }
    let wanted = frame(padding: padding)
    var search = self
    search.height = wanted.height
    search.rules = nil
    search.eyeLine = (head.eyes - wanted.y) / wanted.height
    search.middle = (head.middle - wanted.x) / wanted.width
    return search
  }

  /// Returns the frame with the lowest cost among those that `move` makes of the best frame of each size; nil if it
  /// makes none. `room` is the upper bound of the frame's height, as a function of its aspect.
  func frame(padding: Padding, room: (Double) -> Double, moved move: (Frame) -> [Frame]) -> Frame? {
    let search = padded(by: padding)
    let moved = search.heights(upTo: room(ratio)).flatMap { move(search.placed(height: $0, in: nil).frame) }
    return Self.cheapest(moved.map { ($0, search.cost(of: $0)) })
  }

  private func cheapest(in picture: PixelSize?) -> Frame {
    let room = picture.map { min(Double($0.height), Double($0.width) / ratio) } ?? .infinity
    return Self.cheapest(heights(upTo: room).map { placed(height: $0, in: picture) })
      ?? placed(height: min(height, room), in: picture).frame
  }

  /// Returns the heights to try, the requested one first. The frame must not be smaller than the face or larger than
  /// the image.
  private func heights(upTo room: Double) -> [Double] {
    let least = min(max(head.box.height, head.box.width / ratio), room)
    return ([0] + stride(from: Self.smallest, through: Self.largest, by: Self.step)).map {
      min(max(height * exp($0), least), room)
    }
  }

  /// Returns the first of the frames with the lowest cost; nil if no cost is finite.
  private static func cheapest(_ frames: [(frame: Frame, cost: Double)]) -> Frame? {
    var best: (frame: Frame, cost: Double)?
    for frame in frames where frame.cost < (best?.cost ?? .infinity) - 1e-9 { best = frame }
    return best?.frame
  }

  /// Returns the frame of this height with the lowest cost, and the cost.
  private func placed(height: Double, in picture: PixelSize?) -> (frame: Frame, cost: Double) {
    let width = height * ratio
    let y = cheapest(
      [
        head.eyes - eyeLine * height, head.eyes - (eyeLine + FramingCosts.freeEyes) * height,
        head.eyes - (eyeLine - FramingCosts.freeEyes) * height, head.eyes - lowestEyes * height,
        head.likelyCrown - headroom * height,
        head.highestCrown, head.crown, head.chin - height, head.chin - (1 - FramingCosts.chinRoom) * height,
      ] + (rules?.tops(for: head, height: height) ?? []), length: height, holding: head.box.y...head.box.maxY,
      side: picture.map { Double($0.height) }
    ) { costDown(from: $0, height: height) }
    let free = FramingCosts.freeMiddle * width
    let others = neighbors(from: y.place, height: height)
    let x = cheapest(
      [head.middle - middle * width, head.middle - middle * width - free, head.middle - middle * width + free]
        + (head.count > 1 ? [head.left, head.right - width] : [])
        + (rules?.lefts(for: head, width: width) ?? [])
        + others.flatMap { [$0.face.x - width, $0.face.x, $0.face.maxX, $0.face.maxX - width] },
      length: width, holding: head.box.x...head.box.maxX, side: picture.map { Double($0.width) }
    ) { costAcross(from: $0, width: width, others) }
    return (Frame(x: x.place, y: y.place, width: width, height: height), cost(of: height) + x.cost + y.cost)
  }

  /// Returns the neighbors that are seen in a frame's rows.
  private func neighbors(from y: Double, height: Double) -> [Neighbor] {
    neighbors.compactMap { face in
      let seen = (min(face.maxY, y + height) - max(face.y, y)) / face.height
      return seen > 0 ? Neighbor(face: face, seen: seen) : nil
    }
  }

  private func cost(of frame: Frame) -> Double {
    cost(of: frame.height) + costDown(from: frame.y, height: frame.height)
      + costAcross(from: frame.x, width: frame.width, neighbors(from: frame.y, height: frame.height))
  }

  private func cost(of height: Double) -> Double {
    let size = log(height / self.height)
    return FramingCosts.largeFrame * max(size, 0) + FramingCosts.smallFrame * max(-size, 0)
      + FramingCosts.largeHead * max(head.height / height - head.height / lowest, 0)
      + (rules?.cost(of: head, height: height) ?? 0)
  }

  /// Returns the best of several positions for an edge, each moved so that the frame has the face and is in the image.
  private func cheapest(
    _ places: [Double], length: Double, holding face: ClosedRange<Double>, side: Double?, cost: (Double) -> Double
  ) -> (place: Double, cost: Double) {
    let fits = face.upperBound - face.lowerBound <= length
    var best = (place: 0.0, cost: Double.infinity)
    for place in places {
      // A face that does not fit is centered.
      var place =
        fits
        ? min(max(place, face.upperBound - length), face.lowerBound)
        : (face.lowerBound + face.upperBound - length) / 2
      if let side { place = min(max(place, 0), max(side - length, 0)) }
      let cost = cost(place)
      if cost < best.cost { best = (place, cost) }
    }
    return best
  }

  private func costDown(from y: Double, height: Double) -> Double {
    let bottom = y + height
    let eyes = abs((head.eyes - y) / height - eyeLine)
    return FramingCosts.cutCrown * max((y - head.crown) / height, 0)
      + FramingCosts.cutMaybe * max((y - head.highestCrown) / height, 0)
      + FramingCosts.littleHeadroom * max(headroom - (head.likelyCrown - y) / height, 0)
      + FramingCosts.cutChin * max((head.chin - bottom) / height, 0)
      + FramingCosts.littleChinRoom * max(FramingCosts.chinRoom - (bottom - head.chin) / height, 0)
      + FramingCosts.lowEyes * max((head.eyes - y) / height - lowestEyes, 0)
      + FramingCosts.eyesOff * max(eyes - FramingCosts.freeEyes, 0) + FramingCosts.eyesALittleOff * eyes
      + (rules?.cost(of: head, top: y, height: height) ?? 0)
  }

  private func costAcross(from x: Double, width: Double, _ others: [Neighbor]) -> Double {
    let off = abs((head.middle - x) / width - middle)
    // The last term only decides between equal costs.
    var cost = FramingCosts.offCenter * max(off - FramingCosts.freeMiddle, 0) + 1e-3 * off
    if head.count > 1 {
      cost += FramingCosts.cutSide * (max(x - head.left, 0) + max(head.right - x - width, 0)) / width
    }
    if let rules { cost += rules.cost(of: head, left: x, width: width) }
    for other in others {
      let across = max(min(other.face.maxX, x + width) - max(other.face.x, x), 0) / other.face.width
      let inside = across * other.seen
      cost +=
        FramingCosts.halfNeighbor * min(2 * inside, 1.5 - inside) * min(other.face.height / head.box.height, 1)
    }
    return cost
  }
}

extension Frame {
  /// Returns the frame, or else the nearest one on the way to `inner` of which no more than `most` lies outside the
  /// image, as `share` measures it.
  func limited(to most: Double, before inner: @autoclosure () -> Frame, outside share: (Frame) -> Double) -> Frame {
    guard share(self) > most else { return self }
    let inner = inner()
    func step(_ part: Double) -> Frame {
      let (own, other) = (scaled(by: 1 - part), inner.scaled(by: part))
      return Frame(
        x: own.x + other.x, y: own.y + other.y, width: own.width + other.width, height: own.height + other.height)
    }
    var (outer, within) = (0.0, 1.0)
    for _ in 0..<20 {
      let middle = (outer + within) / 2
      if share(step(middle)) > most { outer = middle } else { within = middle }
    }
    return step(within)
  }
}
