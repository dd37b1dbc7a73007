/// The probability that a pixel belongs to the people of an output, at up to 256 × 256 pixels.
struct PersonMap {
  /// The size, which has the output's shape.
  let size: PixelSize
  /// The probabilities row by row, 0…255.
  private(set) var probabilities: [UInt8]
  /// The confidence that the people are cut out well, 0…1.
  let confidence: Double

  /// The least probability of a person's pixel, by which pixels are connected.
  private static let person = UInt8(110)
  /// The distance around connected pixels in which unsure ones belong to the person, in fractions of the longer side.
  private static let margin = 0.016
  /// The longer side of a map.
  private static let side = 256

  /// Creates a map from probabilities that are known. Without a confidence, it is theirs.
  init(size: PixelSize, probabilities: [UInt8], confidence: Double? = nil) {
    precondition(probabilities.count == size.width * size.height, "the probabilities do not fit the size")
    (self.size, self.probabilities) = (size, probabilities)
    self.confidence = confidence ?? Self.confidence(of: probabilities, size)
  }

  /// Finds the people in an upright output by the mean of both networks. With `keepsAll`, others count like its own.
  init(
    of people: FramedPeople, in window: PersonWindow, output: PixelSize, keepsAll: Bool, by network: some PersonMasking,
    _ job: Job
  ) throws(FaceCropError) {
    size = output.scaled(toLongSide: Self.side)
    let masks = try window.masks(by: network)
    try job.check()
    func both(_ part: NormalizedRect, _ size: PixelSize) -> Zip2Sequence<[UInt8], [UInt8]> {
      let both = masks.map { $0.probabilities(in: part, size: size) }
      return zip(both[0], both[1])
    }
    let mean = both(.whole, size).map { UInt8((Int($0) + Int($1) + 1) / 2) }
    let decided = Self.decided(mean, both(.whole, size).map { min($0, $1) }, size, people)
    var (map, undecided, bound) = (decided, mean, 1.0)
    var highest = both(.whole, size).map { max($0, $1) }
    // A face behind the person, which the networks take for background, owns nothing.
    let others = people.others.filter { face in
      both(face, PixelSize(width: 1, height: 1)).allSatisfy { Int($0) + Int($1) >= 256 }
    }
    let seen = FramedPeople(own: people.own, others: others)
    let isKept = Self.connected(mean, size, keepsAll ? FramedPeople(own: people.own + others) : seen)
    if Self.leftOut(of: mean, size, isKept, seen) >= Self.mostLeftOut { bound = Self.confidenceOfParts }
    if !keepsAll {
      bound = min(bound, Self.confidence(seam: Self.seam(in: mean, size, isKept)))
      undecided = Self.masked(mean, isKept)
      if others.isEmpty {
        map = Self.masked(decided, Self.connected(decided, size, seen))
      } else {
        // A wide area or a hole may be another person.
        (map, highest) = (undecided, [UInt8](repeating: 0, count: mean.count))
      }
    }
    Self.fillHoles(in: &map, highest, size, people)
    probabilities = map
    // An area that was decided stays doubtful.
    confidence = min(Self.confidence(of: undecided, size), bound)
  }

  /// Returns a map that is zero where `isKept` is false.
  private static func masked(_ map: [UInt8], _ isKept: [Bool]) -> [UInt8] { zip(map, isKept).map { $1 ? $0 : 0 } }

  /// The mean probabilities between which wide areas are decided, and half the least width of an area, in fractions of
  /// the longer side.
  private static let (undecided, wide) = (UInt8(52)..<UInt8(204), 0.02)
  /// The mean probabilities of the network that doubts more: a third makes an area a person, and less than a tenth makes
  /// it background.
  private static let (third, tenth) = (85, 25)

  /// Returns a map in which unsure areas that are too wide for soft edges are decided. Props, headwear and hair often have
  /// a third in both networks. Walls and chairs often convince only one of them.
  static func decided(_ mean: [UInt8], _ lowest: [UInt8], _ size: PixelSize, _ people: FramedPeople) -> [UInt8] {
    var map = mean
    guard !people.own.isEmpty else { return map }
    let radius = max(Int(wide * Double(size.longSide)), 1)
    let isOutside = mean.map { !undecided.contains($0) }.widened(by: radius, width: size.width)
    let isNearMiddle = isOutside.map { !$0 }.widened(by: radius, width: size.width)
    let isLikely = lowest.map { 2 * Int($0) >= third + tenth }
    // A ponytail before a chair is decided apart from it, if both together are open.
    for isSplit in [false, true] {
      var isSeen = zip(map, isNearMiddle).map { !undecided.contains($0) || !$1 }
      for start in map.indices where !isSeen[start] {
        let area = reached(from: [start], width: size.width, &isSeen) { !isSplit || isLikely[$0] == isLikely[start] }
        let doubted = area.reduce(0) { $0 + Int(lowest[$1]) } / area.count
        guard doubted >= third || doubted < tenth else { continue }
        for place in area { map[place] = doubted >= third ? 255 : 0 }
      }
    }
    return map
  }

  /// The unsure probabilities.
  private static let unsure = UInt8(40)..<UInt8(215)
  /// The mean widths of the unsure band along the people's edges, in pixels of the map, up to which a confidence applies. The
  /// confidences are the shares of good cut-outs of 115 that were judged by eye. Of 13 others from 3 to 8 pixels, two
  /// stricter judges rejected 12.
  private static let confidences: [(width: Double, confidence: Double)] = [(3, 0.97), (8, 0.7)]
  private static let leastConfidence = 0.2

  /// The shares of the people's edges that are seams to other people, from which on a confidence is the upper bound. They
  /// are the shares of good cut-outs of 119 from images of several people, judged by eye.
  private static let seams: [(share: Double, confidence: Double)] = [(0.3, 0.25), (0.2, 0.55), (0.05, 0.8)]

  /// Returns the upper bound of a confidence: nothing in the image shows where one person ends and another begins.
  static func confidence(seam: Double) -> Double { seams.first { seam >= $0.share }?.confidence ?? 1 }

  /// The share of other parts from which on the bound of a confidence applies: the share of good cut-outs of 53 that were
  /// judged by eye.
  private static let (mostLeftOut, confidenceOfParts) = (0.0013, 0.4)

  /// Returns the probabilities that nothing connects with a face, in shares of the own ones. They are parts of the person,
  /// or things in the background that look like a person and may also touch it.
  static func leftOut(of mask: [UInt8], _ size: PixelSize, _ isOwn: [Bool], _ people: FramedPeople) -> Double {
    let places = FramedPeople.Places(people, in: size)
    var (own, others) = (0, 0)
    for place in mask.indices where mask[place] > 0 {
      if isOwn[place] {
        own += Int(mask[place])
      } else if places.isOwn(place) {
        others += Int(mask[place])
      }
    }
    return Double(others) / Double(max(own, 1))
  }

  /// Returns the share of the own pixels' edges on whose other side is a pixel of another person.
  static func seam(in mask: [UInt8], _ size: PixelSize, _ isOwn: [Bool]) -> Double {
    var (seam, edge) = (0, 0)
    forEachPair(in: size) { place, other in
      let (isPerson, isOther) = (mask[place] >= 128, mask[other] >= 128)
      guard (isPerson && isOwn[place]) != (isOther && isOwn[other]) else { return }
      edge += 1
      if isPerson && isOther { seam += 1 }
    }
    return Double(seam) / Double(max(edge, 1))
  }

  /// Calls `body` with all pairs of pixels side by side.
  private static func forEachPair(in size: PixelSize, _ body: (Int, Int) -> Void) {
    for place in 0..<size.width * size.height {
      if place % size.width > 0 { body(place, place - 1) }
      if place >= size.width { body(place, place - size.width) }
    }
  }

  /// Returns the confidence of a map: the wider the band in which the network is unsure, the lower it is.
  static func confidence(of mask: [UInt8], _ size: PixelSize) -> Double {
    var edge = 0
    forEachPair(in: size) { if (mask[$0] >= 128) != (mask[$1] >= 128) { edge += 1 } }
    // Without an edge, there is no person, or nothing else.
    guard edge > 0 else { return leastConfidence }
    let width = Double(mask.count { unsure.contains($0) }) / Double(edge)
    return confidences.first { width < $0.width }?.confidence ?? leastConfidence
  }

  /// The upper bound of a hole that belongs to the person, in fractions of the output.
  private static let smallHole = 0.025
  /// The area of a hand in squares of the face's height. A hole of that size belongs to the person from a third on.
  private static let hand = 0.3

  /// Fills holes in people that the networks take for background: holes in faces, by colored light and masks, and small
  /// holes below, such as badges. Other small holes are filled if one network doubts them, by the higher probability of
  /// both. The rest stays, because it is background between hair.
  static func fillHoles(in mask: inout [UInt8], _ highest: [UInt8], _ size: PixelSize, _ people: FramedPeople) {
    guard !people.own.isEmpty else { return }
    let boxes = people.own.map { $0.frame(in: size) }
    let chin = boxes.reduce(0) { max($0, $1.maxY) }
    let (width, most) = (size.width, Int(smallHole * size.area))
    let mostDoubted = hand * boxes.reduce(0) { max($0, $1.height * $1.height) }
    var isSeen = [Bool](repeating: false, count: mask.count)
    for start in mask.indices where !isSeen[start] && mask[start] < 128 {
      let hole = reached(from: [start], width: width, &isSeen) { mask[$0] < 128 }
      let (rows, columns) = (hole.map { $0 / width }, hole.map { $0 % width })
      let (top, bottom, left, right) = (rows.min()!, rows.max()!, columns.min()!, columns.max()!)
      // The lower edge of the output closes a hole, and its sides do not.
      let isInside = left > 0 && right < width - 1
      let isBelow = Double(top) >= chin && hole.count <= most
      let isInFace = boxes.contains { box in
        Double(top) >= box.y && Double(bottom) < box.maxY && Double(left) >= box.x && Double(right) < box.maxX
      }
      let isDoubted =
        top > 0 && Double(hole.count) <= mostDoubted
        && hole.reduce(0) { $0 + Int(highest[$1]) } >= third * hole.count
      if isInside && (isBelow || isInFace || isDoubted) { for place in hole { mask[place] = 255 } }
    }
  }

  /// Returns the pixels that are connected with the first ones by pixels that `counts` takes, and marks them.
  private static func reached(
    from first: [Int], width: Int, _ isReached: inout [Bool], by counts: (Int) -> Bool
  ) -> [Int] {
    var places: [Int] = []
    func visit(_ place: Int) {
      guard !isReached[place], counts(place) else { return }
      isReached[place] = true
      places.append(place)
    }
    for place in first { visit(place) }
    var next = 0
    while next < places.count {
      let place = places[next]
      next += 1
      if place % width > 0 { visit(place - 1) }
      if (place + 1) % width > 0 { visit(place + 1) }
      if place >= width { visit(place - width) }
      if place + width < isReached.count { visit(place + width) }
    }
    return places
  }

  /// Returns the pixels near those that are connected with a face of the crop, and nearer to it than to other faces.
  /// Without a face, all pixels.
  static func connected(_ mask: [UInt8], _ size: PixelSize, _ people: FramedPeople) -> [Bool] {
    let (width, height) = (size.width, size.height)
    let places = FramedPeople.Places(people, in: size)
    let owned = mask.indices.map(places.isOwn)
    guard !people.own.isEmpty else { return owned }
    let faces = people.own.flatMap { face in
      let frame = face.frame(in: size)
      /// The middle half of a side, inside the map.
      func middle(_ start: Double, _ length: Double, _ side: Int) -> Range<Int> {
        let first = min(max(Int(start + length / 4), 0), side)
        return first..<max(min(Int(start + 0.75 * length) + 1, side), first)
      }
      let columns = middle(frame.x, frame.width, width)
      return middle(frame.y, frame.height, height).flatMap { row in columns.map { row * width + $0 } }
    }
    var isReached = [Bool](repeating: false, count: mask.count)
    _ = reached(from: faces, width: width, &isReached) { owned[$0] && mask[$0] >= person }
    let radius = max(Int(margin * Double(size.longSide)), 1)
    return zip(isReached.widened(by: radius, width: width), owned).map { $0 && $1 }
  }
}

extension [Bool] {
  /// Returns whether any pixel in the square around each one is set, for an image of this width.
  func widened(by radius: Int, width: Int) -> [Bool] {
    func pass(_ pixels: [Bool], step: Int, length: Int, lines: Int, across: Int) -> [Bool] {
      var wide = [Bool](repeating: false, count: pixels.count)
      for line in 0..<lines {
        var left = 0
        for place in -radius..<length {
          let ahead = place + radius
          if ahead < length, pixels[line * across + ahead * step] { left = 2 * radius + 1 }
          if place >= 0, left > 0 { wide[line * across + place * step] = true }
          left -= left > 0 ? 1 : 0
        }
      }
      return wide
    }
    let height = count / Swift.max(width, 1)
    let rows = pass(self, step: 1, length: width, lines: height, across: width)
    return pass(rows, step: width, length: height, lines: width, across: 1)
  }
}
