internal import Glibc

/// What the cascades say of one place, looked at closely: a small copy of the neighborhood, in which a face would be 28 pixels
/// wide, is searched densely, and the windows that pass are counted.
struct HaarEvidence {
  /// A gray picture.
  let picture: PixelBuffer
  let cascades: HaarCascades

  /// How sure the cascades are of a face at `proposal`, 0…1: a logistic regression over the counts, on one half of an internal
  /// set of 230 pictures, weights rounded.
  func score(of proposal: HaarSearch.Proposal) throws(FaceCropError) -> Double {
    let place = Place(proposal.square)
    let patch = try patch(at: place)
    var leaning = 0.0
    for degrees in [20.0, -20.0] {
      leaning += try count(cascades.frontal(), in: self.patch(at: place.turned(by: degrees)))
    }
    let sum =
      log1p(try count(cascades.frontal(), in: patch))
      + 1.2 * log1p(try count(cascades.frontalStumps(), in: patch))
      + 2 * log1p(try profiles(in: patch))
      + 2 * log1p(leaning)
      + 2 * (try hasEyes(at: place) ? 1 : 0)
      + 2 * min(Self.contrast(of: patch) / 40, 1)
      + 1.5 * log1p(Double(proposal.profiles))
    return 1 / (1 + exp(5.4 - sum))
  }

  /// How many windows at a face that another detector found pass the frontal cascades or, where none does, the profile one.
  ///
  /// - Parameter isDoubtful: whether every window counts; if not, three are enough to know that Haar found it too.
  func windows(at place: Place, isDoubtful: Bool) throws(FaceCropError) -> Double {
    let patch = try patch(at: place)
    var windows = try count(cascades.frontal(), in: patch)
    if windows < 3 || isDoubtful { windows += try count(cascades.frontalStumps(), in: patch) }
    if windows == 0 { windows = try profiles(in: patch) }
    return windows
  }

  // MARK: Patches

  /// Where a face is, how large, and how far it leans.
  struct Place {
    var x: Double
    var y: Double
    /// Of a square from brow to chin.
    var side: Double
    /// By which it is turned to stand upright, counterclockwise.
    var degrees = 0.0

    init(x: Double, y: Double, side: Double, degrees: Double) {
      (self.x, self.y, self.side, self.degrees) = (x, y, side, degrees)
    }

    init(_ square: Frame) {
      (x, y, side) = (square.midX, square.midY, square.width)
    }

    func turned(by degrees: Double) -> Place { Place(x: x, y: y, side: side, degrees: degrees) }
  }

  /// A square picture of `size` pixels around the place, upright, in which the face is `face` pixels wide.
  private func patch(at place: Place, face: Double = 28, size: Int = 56) throws(FaceCropError) -> PixelBuffer {
    let scale = face / place.side
    // Room for the corners of a turned square.
    let half = Double(size) / scale * 0.75
    let (left, top) = (Int(place.x - half), Int(place.y - half))
    let around = PixelRect(x: left, y: top, width: Int(2 * half) + 1, height: Int(2 * half) + 1)
      .intersection(PixelRect(x: 0, y: 0, width: picture.width, height: picture.height))
    guard around.width > 0, around.height > 0 else {
      return PixelBuffer(
        size: PixelSize(width: size, height: size), format: .gray, bytes: [UInt8](repeating: 0, count: size * size))
    }
    var region = picture.cropped(to: around)
    var shrink = 1.0
    if scale * 1.5 < 1 {
      // Linear interpolation would leave out pixels.
      region = try region.shrunk(toLongSide: max(Int(Double(around.size.longSide) * scale * 1.5), 1))
      shrink = Double(region.size.longSide) / Double(around.size.longSide)
    }
    let middle = Double(size) / 2
    let map = AffineMap(
      degrees: place.degrees, scale: scale / shrink,
      center: ((place.x - Double(around.x)) * shrink, (place.y - Double(around.y)) * shrink), target: (middle, middle))
    return try region.warped(by: map, to: PixelSize(width: size, height: size))
  }

  /// Windows that are where the face is: their centers at most 7 of its 28 pixels from the patch's.
  private func count(_ cascade: Cascade, in patch: PixelBuffer) throws(FaceCropError) -> Double {
    let middle = Double(patch.width) / 2
    let hits = try cascade.hits(in: patch, sides: 22...36, scaleFactor: 1.1)
    return Double(hits.count { abs($0.midX - middle) <= 7 && abs($0.midY - middle) <= 7 })
  }

  private func profiles(in patch: PixelBuffer) throws(FaceCropError) -> Double {
    let profile = try cascades.profile()
    return try count(profile, in: patch) + count(profile, in: patch.upright(.upMirrored))
  }

  private func hasEyes(at place: Place) throws(FaceCropError) -> Bool {
    let upper = try patch(at: place, face: 64, size: 80).cropped(to: PixelRect(x: 8, y: 8, width: 64, height: 44))
    return try !cascades.eyes().hits(in: upper, sides: 20...32, scaleFactor: 1.2).isEmpty
  }

  /// The standard deviation in the middle of the face.
  private static func contrast(of patch: PixelBuffer) -> Double {
    let inner = patch.cropped(to: PixelRect(x: 21, y: 21, width: 14, height: 14)).bytes.map(Double.init)
    let mean = inner.reduce(0, +) / Double(inner.count)
    return (inner.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(inner.count)).squareRoot()
  }
}
