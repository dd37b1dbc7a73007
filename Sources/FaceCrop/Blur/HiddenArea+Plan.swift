internal import Glibc

extension HiddenArea {
  /// The points of an ellipse's polygon.
  private static let ellipsePoints = 64

  /// Creates the area of a plan's crop, in pixels of the image as stored. It fills the frame, or else the region. A
  /// crop without a face, which a person has drawn, is a rectangle. The picture rotates with the eyes of a single face.
  init(_ crop: CropPlan.Crop, of plan: CropPlan, by request: BlurRequest, orientation: Orientation) {
    let frame = (crop.frame ?? crop.region).frame(in: plan.source)
    var polygons = [request.shape == .box || crop.faces.isEmpty ? Self.corners(of: frame) : Self.ellipse(in: frame)]
    if request.shape == .head {
      for face in crop.faces { polygons += Self.outline(of: plan.faces[face], in: plan.source, margin: request.margin) }
    }
    let stored = orientation.applied(to: plan.source)
    func place(_ x: Double, _ y: Double) -> Point {
      let place = orientation.stored(x: x, y: y, in: stored)
      return Point(x: place.x, y: place.y)
    }
    self.init(polygons.map { polygon in polygon.map { place($0.x, $0.y) } })
    guard let image = request.image else { return }
    let lean = crop.faces.count == 1 ? plan.faces[crop.faces[0]].lean(in: plan.source) ?? 0 : 0
    let axes = [lean, lean + 90].map { place(cos($0 * .pi / 180), sin($0 * .pi / 180)) - place(0, 0) }
    cover = AreaCover(image, over: self, along: axes)
  }

  private static func corners(of frame: Frame) -> [Point] {
    [(frame.x, frame.y), (frame.maxX, frame.y), (frame.maxX, frame.maxY), (frame.x, frame.maxY)]
      .map { Point(x: $0, y: $1) }
  }

  private static func ellipse(in frame: Frame) -> [Point] {
    (0..<ellipsePoints).map { index in
      let angle = 2 * Double.pi * Double(index) / Double(ellipsePoints)
      return Point(x: frame.midX + frame.width / 2 * cos(angle), y: frame.midY + frame.height / 2 * sin(angle))
    }
  }

  /// Returns the head's outline, moved out from the face's center; none without an outline.
  private static func outline(of face: Face, in image: PixelSize, margin: Double) -> [[Point]] {
    guard let outline = face.head?.outline, outline.count >= 3 else { return [] }
    let box = face.box.frame(in: image)
    let reach = margin * box.height
    return [
      outline.map { point in
        let (x, y) = (point.x * Double(image.width) - box.midX, point.y * Double(image.height) - box.midY)
        let distance = max(hypot(x, y), 1e-6)
        return Point(x: box.midX + x * (1 + reach / distance), y: box.midY + y * (1 + reach / distance))
      }
    ]
  }
}

extension CropPlan.Crop {
  /// Creates the crop of a hidden face: the rectangle around its ellipse.
  init(blurring index: Int, of faces: [Face], in image: PixelSize, margin: Double) {
    let face = faces[index]
    let turn = face.uprightTurn(in: image)
    let frame: NormalizedRect
    if turn == .none {
      frame = Self.frame(blurring: face, in: image, margin: margin)
    } else {
      // A head's limits are those of an upright head.
      var upright = face.before(turn.inverse)
      upright.head = nil
      frame = turn.orientation.stored(
        Self.frame(blurring: upright, in: turn.orientation.applied(to: image), margin: margin))
    }
    let region = frame.clamped()
    self.init(region: region, frame: frame == region ? nil : frame, faces: [index], number: index + 1)
  }

  private static func frame(blurring face: Face, in image: PixelSize, margin: Double) -> NormalizedRect {
    let box = face.box.frame(in: image)
    let head = face.head ?? Head(assumedFor: face, in: image)
    // Long hair beside the face, and hats, belong to the head only.
    let side = max(Self.side * box.height, Self.besideBox * box.width / 2) + margin * box.height
    let skull = max(head.skull.position * Double(image.height), box.y - Self.highestSkull * box.height)
    let top = min(skull, box.y) - margin * box.height
    let bottom = box.maxY + (Self.below + margin) * box.height
    return Frame(x: box.midX - side, y: top, width: 2 * side, height: bottom - top).normalized(in: image)
  }

  /// Half the width of the ellipse in heights of the box, and at least in half widths of it. Then the part below the
  /// chin, and the highest skull above the box, in heights of the box.
  private static let (side, besideBox, below, highestSkull) = (0.5, 1.25, 0.05, 0.4)
}

extension BlurRequest {
  /// Returns the area that hides a face, for a plan that adds the face to others.
  ///
  /// - Parameters:
  ///   - index: The face's index in `faces`.
  ///   - faces: All faces in the image.
  ///   - image: The size of the image as displayed, in pixels.
  public func area(of index: Int, among faces: [Face], in image: PixelSize) -> CropPlan.Crop {
    CropPlan.Crop(blurring: index, of: faces, in: image, margin: margin)
  }
}
