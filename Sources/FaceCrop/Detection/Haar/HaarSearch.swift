/// Looks for faces all over a gray picture.
struct HaarSearch {
  let cascades: HaarCascades

  /// A place where a face may be: overlapping windows that passed a cascade.
  struct Proposal {
    /// A square from brow to chin: the mean of the windows.
    var square: Frame
    /// Windows that passed the profile cascade, and all.
    var profiles: Int
    var all: Int
  }

  private struct Window {
    var square: Frame
    var isProfile: Bool
  }

  /// Frontal faces in the whole picture; those that look to a side, or lean to one by up to about 40°, in a copy whose longer
  /// side is 320 pixels, since they are looked for several times.
  ///
  /// - Parameter smallest: side of the smallest face looked for, as a fraction of the picture's shorter side; of the latter
  ///   ones, twice that.
  func proposals(in picture: PixelBuffer, smallest: Double) throws(FaceCropError) -> [Proposal] {
    let side = Double(picture.size.shortSide)
    let frontal = try cascades.frontal()
    var windows = try scan(picture, by: frontal, scaleFactor: 1.15, smallest: smallest * side)
      .map { Window(square: $0, isProfile: false) }

    let small = try picture.shrunk(toLongSide: 320)
    let shrink = Double(picture.size.longSide) / Double(small.size.longSide)
    let coarse = 2 * smallest * side / shrink
    for orientation in [Orientation.up, .upMirrored] {
      for square in try scan(small.upright(orientation), by: cascades.profile(), scaleFactor: 1.2, smallest: coarse) {
        let x = orientation == .up ? square.x : Double(small.width) - square.maxX
        windows.append(Window(square: square.moved(x: x, y: square.y).scaled(by: shrink), isProfile: true))
      }
    }
    let center = (x: Double(small.width) / 2, y: Double(small.height) / 2)
    for degrees in [25.0, -25.0] {
      let turn = AffineMap(degrees: degrees, scale: 1, center: center, target: center)
      let turned = try small.warped(by: turn, to: small.size)
      for square in try scan(turned, by: frontal, scaleFactor: 1.2, smallest: coarse) {
        let middle = turn.inverse(square.midX, square.midY)
        let back = square.moved(x: middle.x - square.width / 2, y: middle.y - square.height / 2)
        windows.append(Window(square: back.scaled(by: shrink), isProfile: false))
      }
    }
    return Self.groups(of: windows).map(Self.proposal)
  }

  /// The windows that pass. Each octave of face sizes is looked for in a picture half as large as the one before, so that the
  /// window, of 20 to 39 pixels, always moves by two: OpenCV moves larger ones by one, at four times the price.
  private func scan(
    _ picture: PixelBuffer, by cascade: Cascade, scaleFactor: Double, smallest: Double
  ) throws(FaceCropError) -> [Frame] {
    var squares: [Frame] = []
    var octave = picture
    var pixel = 1.0
    while octave.size.shortSide >= 20 {
      if smallest < 40 * pixel {
        let least = min(max(Int((smallest / pixel).rounded()), 20), 39)
        squares += try cascade.hits(in: octave, sides: least...39, scaleFactor: scaleFactor).map {
          $0.scaled(by: pixel)
        }
      }
      octave = try octave.resized(to: PixelSize(width: (octave.width + 1) / 2, height: (octave.height + 1) / 2))
      pixel *= 2
    }
    return squares
  }

  // MARK: Groups

  /// Windows of one face: those that are similar, directly or by way of others.
  private static func groups(of windows: [Window]) -> [[Window]] {
    var groups: [[Window]] = []
    var isTaken = [Bool](repeating: false, count: windows.count)
    for seed in windows.indices where !isTaken[seed] {
      isTaken[seed] = true
      var group = [windows[seed]]
      var next = 0
      while next < group.count {
        for other in windows.indices where !isTaken[other] && areSimilar(group[next].square, windows[other].square) {
          isTaken[other] = true
          group.append(windows[other])
        }
        next += 1
      }
      groups.append(group)
    }
    return groups
  }

  /// The rule of OpenCV's `groupRectangles`, with its usual tolerance of 0.2.
  private static func areSimilar(_ first: Frame, _ second: Frame) -> Bool {
    let delta = 0.1 * (min(first.width, second.width) + min(first.height, second.height))
    return abs(first.x - second.x) <= delta && abs(first.y - second.y) <= delta
      && abs(first.maxX - second.maxX) <= delta && abs(first.maxY - second.maxY) <= delta
  }

  private static func proposal(of group: [Window]) -> Proposal {
    let count = Double(group.count)
    func mean(_ value: (Frame) -> Double) -> Double { group.reduce(0) { $0 + value($1.square) } / count }
    let side = mean(\.width)
    return Proposal(
      square: Frame(x: mean(\.midX) - side / 2, y: mean(\.midY) - side / 2, width: side, height: side),
      profiles: group.count(where: \.isProfile), all: group.count)
  }
}
