/// Finds where heads end, from their faces: hair against background, in the picture in which the faces were found.
struct HeadFinder {
  /// Pixels of the lowest face box that shows enough of its head.
  static let smallestFace = 12.0

  /// In color.
  private let picture: PixelBuffer

  /// - Parameter picture: Upright, in which the faces were found.
  init(in picture: PixelBuffer) {
    self.picture = picture.inColor()
  }

  /// The head of a face; nil where it is too small to say.
  func head(of face: Face) -> Head? {
    let box = face.box.frame(in: picture.size)
    guard box.height >= Self.smallestFace, let patch = HeadPatch(of: picture, around: box) else { return nil }
    let contour = HeadContour(in: patch)
    let (left, right) = (contour.left, contour.right)
    let seen = contour.crown + Self.readBelow
    // No head is seen beyond the picture's upper edge.
    let edge = box.y / box.height
    if seen >= edge { return Head(crown: edge, confidence: 0.94, left: left, right: right, of: box, in: picture.size) }
    // Hair that has the background's colors is missed: less than the face itself promises is not believed.
    let expected = min(Head.Proportions.crown(eyes: face.eyesInBox), edge)
    if seen < expected - Self.disagreement {
      let crown = Self.trust * seen + (1 - Self.trust) * expected
      return Head(crown: crown, confidence: 0.6, left: left, right: right, of: box, in: picture.size)
    }
    // Far above the box it is a hat or piled hair, where it ends now and then too low.
    let confidence = Self.doubtful.contains(seen) ? 0.75 : 0.94
    return Head(crown: seen, confidence: confidence, left: left, right: right, of: box, in: picture.size)
  }

  private static let (disagreement, trust) = (0.14, 0.4)
  private static let doubtful = 0.4..<0.5
  /// Thin hair is not seen: by so much, in heights of the box, contours are too low.
  private static let readBelow = 0.02
}

extension Head {
  /// - Parameters:
  ///   - crown: from the box's top upward.
  ///   - confidence: how sure it is.
  ///   - left: from its middle to the left, negative; all three in heights of the box.
  ///   - right: from its middle to the right.
  fileprivate init?(
    crown: Double, confidence: Double, left: Double, right: Double, of box: Frame, in picture: PixelSize
  ) {
    let (width, height) = (Double(picture.width), Double(picture.height))
    let top = box.y - crown * box.height
    let skull = max(box.maxY - Proportions.height(crown: crown) * box.height, top)
    self.init(
      crown: Edge(place: top / height, confidence: confidence),
      skull: Edge(place: skull / height, confidence: min(confidence, 0.85)),
      chin: Edge(place: box.maxY / height, confidence: 0.95),
      left: Edge(place: max((box.midX + left * box.height) / width, 0), confidence: 0.7),
      right: Edge(place: min((box.midX + right * box.height) / width, 1), confidence: 0.7))
    guard isValid else { return nil }
  }
}
