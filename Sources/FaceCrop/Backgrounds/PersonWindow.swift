/// The part of an image in which the networks look for the people of an output: their heads and shoulders with a margin,
/// and all that the output shows. The networks take images of one shape, so the window is squeezed into it.
struct PersonWindow {
  /// The window, in sides of the output.
  private let area: NormalizedRect
  /// The window's pixels, for each network.
  private let pictures: [PixelBuffer]

  /// The distances from a face's center up, down, and to either side that a window has, in heights of the face.
  private static let (above, below, beside) = (1.0, 1.3, 1.2)
  /// The least share of the output's sides by which a window is larger.
  private static let least = 0.02

  /// Creates the window that shows exactly an output.
  init(of output: PixelBuffer) {
    area = .whole
    let image = output.inColor()
    pictures = PersonNetwork.Kind.allCases.map { image.quicklyResized(to: $0.size) }
  }

  /// Decodes the window around the people of an output. The output shows `view` of the image, and has this fill outside.
  /// Nil if the window shows nothing else.
  init?(
    around people: FramedPeople, _ view: CropView, fill: PadFill, in session: any ImageSession, _ job: Job
  ) throws(FaceCropError) {
    let (picture, frame) = (session.header.displaySize, view.frame)
    let map = AffineMap(
      degrees: view.degrees, scale: 1, center: (frame.midX, frame.midY), target: (frame.width / 2, frame.height / 2))
    // Beyond the image, there is nothing to see.
    let whole = Frame(PixelRect(x: 0, y: 0, width: picture.width, height: picture.height)).bounds(map.applied)
    var (left, top, right, bottom) = (0.0, 0.0, frame.width, frame.height)
    for box in people.own {
      let (x, y, height) = (box.midX * frame.width, box.midY * frame.height, box.height * frame.height)
      left = min(left, max(x - Self.beside * height, whole.x))
      top = min(top, max(y - Self.above * height, whole.y))
      right = max(right, min(x + Self.beside * height, whole.maxX))
      bottom = max(bottom, min(y + Self.below * height, whole.maxY))
    }
    let window = Frame(x: left, y: top, width: right - left, height: bottom - top)
    let growth = max(window.width / frame.width, window.height / frame.height) - 1
    guard growth > Self.least else { return nil }
    area = NormalizedRect(
      x: left / frame.width, y: top / frame.height, width: window.width / frame.width,
      height: window.height / frame.height)
    let middle = map.inverse(window.midX, window.midY)
    let rect = window.moved(x: middle.x - window.width / 2, y: middle.y - window.height / 2).normalized(in: picture)
    let bounds = window.bounds(map.inverse).normalized(in: picture)
    let crop = CropPlan.Crop(
      region: bounds.clamped(), frame: bounds,
      turn: view.degrees == 0 ? nil : CropPlan.Crop.Turn(degrees: view.degrees, rect: rect), faces: [])
    let renderer = RegionRenderer(crop, in: picture, fill: fill, session: session)
    let decoded = try renderer.pictures(
      sizes: PersonNetwork.Kind.allCases.map(\.size), limits: job.limits, isLast: false, progress: .silent,
      oversampling: 1)
    pictures = decoded.value.map { $0.inColor() }
  }

  /// Finds the people in the window by each network.
  func masks(by network: some PersonMasking) throws(FaceCropError) -> [Mask] {
    try zip(PersonNetwork.Kind.allCases, pictures).map { (kind, picture) throws(FaceCropError) in
      let probabilities = try network.mask(of: picture, by: kind)
      return Mask(area: area, picture: PixelBuffer(size: kind.size, format: .gray, bytes: probabilities))
    }
  }

  /// The probabilities in a window, by one network.
  struct Mask {
    fileprivate let area: NormalizedRect
    fileprivate let picture: PixelBuffer

    /// Returns the probabilities in a part of the output, at this size, 0…255. The window's edge repeats outside.
    func probabilities(in part: NormalizedRect, size: PixelSize) -> [UInt8] {
      func span(_ start: Double, _ length: Double, _ first: Double, _ side: Double, _ count: Int) -> Range<Double> {
        let scale = Double(count) / side
        return (start - first) * scale..<(start + length - first) * scale
      }
      return picture.resampled(
        horizontal: span(part.x, part.width, area.x, area.width, picture.width),
        vertical: span(part.y, part.height, area.y, area.height, picture.height), to: size
      ).bytes
    }
  }
}

extension Frame {
  /// Returns the smallest rectangle that contains the mapped corners.
  fileprivate func bounds(_ map: (Double, Double) -> (x: Double, y: Double)) -> Frame {
    let corners = [map(x, y), map(maxX, y), map(x, maxY), map(maxX, maxY)]
    let (left, top) = (corners.map(\.x).min()!, corners.map(\.y).min()!)
    return Frame(x: left, y: top, width: corners.map(\.x).max()! - left, height: corners.map(\.y).max()! - top)
  }
}

/// The masks of one request. They are kept for the last images, because frames of an animation are often equal where the
/// network looks.
final class PersonMasks: PersonMasking {
  /// The number of images: two for each view of a frame.
  private static let most = 8

  private let run: (PixelBuffer, PersonNetwork.Kind) throws(FaceCropError) -> [UInt8]
  private var known: [(image: PixelBuffer, mask: [UInt8])] = []

  init(_ run: @escaping (PixelBuffer, PersonNetwork.Kind) throws(FaceCropError) -> [UInt8]) { self.run = run }

  /// Creates masks by a network of the pool. They keep it for the request, even if the pool keeps none.
  convenience init(by networks: ObjectPool<PersonNetwork>) {
    let networks = networks.keepingItems()
    self.init { (image, kind) throws(FaceCropError) in
      try networks.withItem { (network) throws(FaceCropError) in try network.mask(of: image, by: kind) }
    }
  }

  /// Returns the mask by the network of that kind. Images of different kinds have different sizes.
  func mask(of image: PixelBuffer, by kind: PersonNetwork.Kind) throws(FaceCropError) -> [UInt8] {
    if let same = known.first(where: { $0.image == image }) { return same.mask }
    let mask = try run(image, kind)
    if known.count == Self.most { known.removeFirst() }
    known.append((image, mask))
    return mask
  }
}
