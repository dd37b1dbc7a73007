internal import Glibc

/// The turn that makes a face's eyes level, about the middle of its box.
///
/// A leveled picture has the same scale, and the same pixel in the middle of the box.
struct Leveling {
  /// The angle by which the head leans clockwise, as seen, in degrees.
  let degrees: Double
  private let (cosine, sine): (Double, Double)
  private let middle: (x: Double, y: Double)

  /// Nobody sees less, and every turn costs a little sharpness.
  static let least = 0.5
  /// Beyond it a network's landmarks are a guess.
  static let most = 60.0

  /// Nil when the detector does not say where the eyes are, or they are level, or lean beyond belief.
  init?(of face: Face, in picture: PixelSize) {
    guard let degrees = face.lean(in: picture), (Self.least...Self.most).contains(abs(degrees)) else {
      return nil
    }
    self.degrees = degrees
    cosine = cos(degrees * .pi / 180)
    sine = sin(degrees * .pi / 180)
    middle = (face.box.midX * Double(picture.width), face.box.midY * Double(picture.height))
  }

  /// Where a point of the leveled picture is in the picture.
  func picture(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let (dx, dy) = (x - middle.x, y - middle.y)
    return (middle.x + cosine * dx - sine * dy, middle.y + sine * dx + cosine * dy)
  }

  /// Where a point of the picture is in the leveled one.
  func leveled(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let (dx, dy) = (x - middle.x, y - middle.y)
    return (middle.x + cosine * dx + sine * dy, middle.y - sine * dx + cosine * dy)
  }

  /// The head of a face as it is in the leveled picture: its outline turned or, without one, the head's distances from the middle of the
  /// box along its own axis.
  func leveled(_ face: Face, in picture: PixelSize) -> FramedHead {
    guard var marks = face.landmarks else { return FramedHead(of: [face], in: picture) }
    var face = face
    if var head = face.head, let outline = head.outline, !outline.isEmpty {
      let (width, height) = (Double(picture.width), Double(picture.height))
      let turned = outline.map { leveled($0.x * width, $0.y * height) }
      let crown = turned.reduce(Double.infinity) { min($0, $1.y) } / height
      // What is not in the outline, because it is not certain, stays above it.
      head.crown.place = min(crown, head.chin.place) - max(outline.reduce(1) { min($0, $1.y) } - head.crown.place, 0)
      head.skull.place = max(head.skull.place, head.crown.place)
      let upper = turned.filter { $0.y <= face.box.midY * height }
      if let left = upper.map(\.x).min(), let right = upper.map(\.x).max(), left < right {
        (head.left.place, head.right.place) = (left / width, right / width)
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

  /// The sides of the smallest upright rectangle in the picture that holds a frame of the leveled one.
  func bounds(width: Double, height: Double) -> (width: Double, height: Double) {
    (abs(cosine) * width + abs(sine) * height, abs(sine) * width + abs(cosine) * height)
  }

  /// The frame moved so that it lies in the picture and still holds `face`; nil when there is no such place.
  ///
  /// - Parameters:
  ///   - frame: of the leveled picture, as `face` is.
  func moved(_ frame: Frame, into picture: PixelSize, holding face: Frame) -> Frame? {
    let bounds = bounds(width: frame.width, height: frame.height)
    let (width, height) = (Double(picture.width), Double(picture.height))
    guard bounds.width <= width, bounds.height <= height, face.width <= frame.width, face.height <= frame.height else {
      return nil
    }
    func clamp(_ value: Double, _ low: Double, _ high: Double) -> Double { min(max(value, low), max(high, low)) }
    // The middles that are in the picture are a rectangle, those that hold the face another, and it is turned: going to and
    // fro between them ends in both, if they meet (von Neumann's alternating projections).
    var middle = (x: frame.midX, y: frame.midY)
    for _ in 0..<64 {
      let free = self.picture(middle.x, middle.y)
      let inside = leveled(
        clamp(free.x, bounds.width / 2, width - bounds.width / 2),
        clamp(free.y, bounds.height / 2, height - bounds.height / 2))
      middle.x = clamp(inside.x, face.maxX - frame.width / 2, face.x + frame.width / 2)
      middle.y = clamp(inside.y, face.maxY - frame.height / 2, face.y + frame.height / 2)
      // A hundredth of a pixel.
      if abs(middle.x - inside.x) + abs(middle.y - inside.y) < 0.01 {
        return frame.moved(x: inside.x - frame.width / 2, y: inside.y - frame.height / 2)
      }
    }
    return nil
  }
}

extension CropPlan {
  /// Why a crop for one face is not turned although its eyes are not level.
  func reasonNotLeveled(_ crop: Crop) -> CropWarning? {
    guard crop.turn == nil, crop.faces.count == 1, faces.indices.contains(crop.faces[0]) else { return nil }
    guard let degrees = faces[crop.faces[0]].lean(in: source) else { return .notLeveled(.noEyes) }
    if abs(degrees) > Leveling.most { return .notLeveled(.leansTooFar) }
    return abs(degrees) < Leveling.least ? nil : .notLeveled(.noRoom)
  }
}
