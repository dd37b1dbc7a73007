internal import Glibc

/// The rotation about the center of a face box that makes the eyes level.
///
/// The leveled image has the same scale, and the same pixel at the center of the box.
struct Alignment {
  /// The clockwise tilt of the head in degrees.
  let degrees: Double
  private let (cosine, sine): (Double, Double)
  private let middle: (x: Double, y: Double)

  /// The smallest tilt to correct. Smaller ones are invisible, and every rotation costs some sharpness.
  static let least = 0.5
  /// The largest tilt to correct. Beyond it a network's landmarks are unreliable.
  static let most = 60.0

  /// Creates the rotation; nil without landmarks, or if the tilt is out of range.
  init?(of face: Face, in picture: PixelSize) {
    guard let degrees = face.lean(in: picture), (Self.least...Self.most).contains(abs(degrees)) else {
      return nil
    }
    self.degrees = degrees
    cosine = cos(degrees * .pi / 180)
    sine = sin(degrees * .pi / 180)
    middle = (face.box.midX * Double(picture.width), face.box.midY * Double(picture.height))
  }

  /// Converts a point of the leveled image to the image.
  func picture(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let (dx, dy) = (x - middle.x, y - middle.y)
    return (middle.x + cosine * dx - sine * dy, middle.y + sine * dx + cosine * dy)
  }

  /// Returns a frame of the leveled image about the same pixel of the image, where it is rotated about its center.
  func picture(_ frame: Frame) -> Frame {
    let middle = picture(frame.midX, frame.midY)
    return frame.moved(x: middle.x - frame.width / 2, y: middle.y - frame.height / 2)
  }

  /// Converts a point of the image to the leveled image.
  func leveled(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let (dx, dy) = (x - middle.x, y - middle.y)
    return (middle.x + cosine * dx + sine * dy, middle.y - sine * dx + cosine * dy)
  }

  /// Returns the head of a face in the leveled image. Its outline is rotated. Without one, its distances from the
  /// center of the box are taken along its own axis.
  func leveled(_ face: Face, in picture: PixelSize) -> FramedHead {
    guard var marks = face.landmarks else { return FramedHead(of: [face], in: picture) }
    var face = face
    if var head = face.head, let outline = head.outline, !outline.isEmpty {
      let (width, height) = (Double(picture.width), Double(picture.height))
      let turned = outline.map { leveled($0.x * width, $0.y * height) }
      let crown = turned.reduce(Double.infinity) { min($0, $1.y) } / height
      // An uncertain crown outside the outline keeps its distance from it.
      head.crown.position =
        min(crown, head.chin.position) - max(outline.reduce(1) { min($0, $1.y) } - head.crown.position, 0)
      head.skull.position = max(head.skull.position, head.crown.position)
      let upper = turned.filter { $0.y <= face.box.midY * height }
      if let left = upper.map(\.x).min(), let right = upper.map(\.x).max(), left < right {
        (head.left.position, head.right.position) = (left / width, right / width)
      }
      face.head = head
    }
    let eye = leveled(
      (marks.leftEye.x + marks.rightEye.x) / 2 * Double(picture.width),
      (marks.leftEye.y + marks.rightEye.y) / 2 * Double(picture.height))
    marks.leftEye.y = eye.y / Double(picture.height)
    marks.rightEye.y = marks.leftEye.y
    face.landmarks = marks
    return FramedHead(of: [face], in: picture)
  }

  /// Returns the sides of the bounding box of a leveled frame in the image.
  func bounds(width: Double, height: Double) -> (width: Double, height: Double) {
    (abs(cosine) * width + abs(sine) * height, abs(sine) * width + abs(cosine) * height)
  }

  /// Returns the height of the highest leveled frame of an aspect that fits into the image.
  func room(for aspect: Double, in picture: PixelSize) -> Double {
    let bounds = bounds(width: aspect, height: 1)
    return min(Double(picture.width) / bounds.width, Double(picture.height) / bounds.height)
  }

  /// Returns places in the image for a frame of the leveled image, all with `face`: the nearest one, and those at the
  /// same height or in the same column.
  func placed(_ frame: Frame, in picture: PixelSize, holding face: Frame) -> [Frame] {
    let nearest = moved(frame, into: picture, holding: face)
    let onOneAxis = [true, false].compactMap { slid(frame, into: picture, across: $0) }.filter {
      $0.x <= face.x && $0.maxX >= face.maxX && $0.y <= face.y && $0.maxY >= face.maxY
    }
    return (nearest.map { [$0] } ?? []) + onOneAxis
  }

  /// Moves a frame of the leveled image into the image, only across or only down; nil if that is impossible.
  private func slid(_ frame: Frame, into picture: PixelSize, across: Bool) -> Frame? {
    let bounds = bounds(width: frame.width, height: frame.height)
    let middle = self.picture(frame.midX, frame.midY)
    var (least, most) = (-Double.infinity, Double.infinity)
    for (place, step, held, side) in [
      (middle.x, across ? cosine : -sine, bounds.width, Double(picture.width)),
      (middle.y, across ? sine : cosine, bounds.height, Double(picture.height)),
    ] {
      let (low, high) = (held / 2 - place, side - held / 2 - place)
      if abs(step) < 1e-9 {
        guard low <= 0, high >= 0 else { return nil }
      } else {
        (least, most) = (max(least, min(low / step, high / step)), min(most, max(low / step, high / step)))
      }
    }
    guard least <= most else { return nil }
    let distance = min(max(0, least), most)
    return frame.moved(x: frame.x + (across ? distance : 0), y: frame.y + (across ? 0 : distance))
  }

  /// Moves a frame of the leveled image into the image so that it still contains `face`; nil if that is impossible.
  func moved(_ frame: Frame, into picture: PixelSize, holding face: Frame) -> Frame? {
    let bounds = bounds(width: frame.width, height: frame.height)
    let (width, height) = (Double(picture.width), Double(picture.height))
    guard bounds.width <= width, bounds.height <= height, face.width <= frame.width, face.height <= frame.height else {
      return nil
    }
    func clamp(_ value: Double, _ low: Double, _ high: Double) -> Double { min(max(value, low), max(high, low)) }
    // The centers inside the image form a rectangle, and those that contain the face form another, rotated one.
    // Alternating projections onto both converge to a common point, if there is one (von Neumann).
    var middle = (x: frame.midX, y: frame.midY)
    for _ in 0..<64 {
      let free = self.picture(middle.x, middle.y)
      let inside = leveled(
        clamp(free.x, bounds.width / 2, width - bounds.width / 2),
        clamp(free.y, bounds.height / 2, height - bounds.height / 2))
      middle.x = clamp(inside.x, face.maxX - frame.width / 2, face.x + frame.width / 2)
      middle.y = clamp(inside.y, face.maxY - frame.height / 2, face.y + frame.height / 2)
      // The tolerance is a hundredth of a pixel.
      if abs(middle.x - inside.x) + abs(middle.y - inside.y) < 0.01 {
        return frame.moved(x: inside.x - frame.width / 2, y: inside.y - frame.height / 2)
      }
    }
    return nil
  }
}

extension CropPlan {
  /// Returns the reason why a crop for one face is not rotated although its eyes are not level.
  func reasonNotAligned(_ crop: Crop) -> CropWarning? {
    guard crop.turn == nil, crop.faces.count == 1, faces.indices.contains(crop.faces[0]) else { return nil }
    guard let degrees = faces[crop.faces[0]].lean(in: source) else { return .notAligned(.noEyes) }
    if abs(degrees) > Alignment.most { return .notAligned(.leansTooFar) }
    return abs(degrees) < Alignment.least ? nil : .notAligned(.noRoom)
  }
}
