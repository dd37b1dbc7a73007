/// A template for training data: an output's size, and the positions of eyes, nose and mouth in it.
///
/// A rotation, a scale and a translation bring each face's landmarks to these positions. So every output shows its
/// face in the same position, as networks for faces expect it. See ``Composition/Layout/template(_:)``.
///
/// ```swift
/// var request = CropRequest(search: FaceSearch(faces: .each))
/// request.composition.layout = .template(.arcFace112)
/// ```
public struct FaceTemplate: Hashable, Sendable {
  /// A point of the output in pixels. The center of the top left pixel is (0, 0), as in OpenCV and scikit-image.
  public struct Point: Hashable, Sendable {
    /// The distance from the center of the first column.
    public var x: Double
    /// The distance from the center of the first row.
    public var y: Double

    /// Creates a point. Planning requires finite numbers within 65,536 pixels of the output.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// The rule that finds the map from image to output.
  public enum Fit: String, Hashable, Sendable, CaseIterable, StableKeyed {
    /// The least squares of the distances in the output (S. Umeyama, IEEE PAMI 13 (4), 1991).
    case output
    /// The least squares of the distances in the image.
    case image
    /// The square of the FFHQ data set, from the centers of the eyes and of the mouth. It needs no points.
    case ffhq
  }

  /// The filling of an output outside the image.
  public enum Border: Hashable, Sendable {
    /// One opaque color.
    case color(red: UInt8, green: UInt8, blue: UInt8)
    /// The image's edge pixels, repeated.
    case edge
    /// The image, mirrored at its edge, more blurred and nearer to its median color with the distance from it, as in
    /// the FFHQ data set. It also blurs a narrow strip inside the image.
    case mirror
  }

  /// The name, for messages and plans; 1 to 64 bytes.
  public var name: String
  /// The output's size in pixels, 1 to ``largestSide`` for each side.
  public var size: PixelSize
  /// The positions of right eye, left eye, nose, and the right and left corners of the mouth, as the person's. Empty for
  /// ``Fit/ffhq``.
  public var points: [Point]
  /// The rule that finds the map.
  public var fit: Fit
  /// The filling outside the image.
  public var border: Border

  /// The upper bound of an output's side in pixels.
  public static let largestSide = 4_096

  /// Creates a template of your own, by default with the rule `output` and black outside the image. Planning checks it.
  public init(
    name: String, size: PixelSize, points: [Point], fit: Fit = .output,
    border: Border = .color(red: 0, green: 0, blue: 0)
  ) {
    self.name = name
    self.size = size
    self.points = points
    self.fit = fit
    self.border = border
  }

  /// 112 × 112 pixels for recognition, with the five points of ArcFace (J. Deng et al., "ArcFace: Additive Angular
  /// Margin Loss for Deep Face Recognition", 2019; the points are those of the insightface project). Black outside.
  public static let arcFace112 = FaceTemplate(
    name: "arcface-112", size: PixelSize(width: 112, height: 112),
    points: [
      Point(x: 38.2946, y: 51.6963), Point(x: 73.5318, y: 51.5014), Point(x: 56.0252, y: 71.7366),
      Point(x: 41.5493, y: 92.3655), Point(x: 70.7299, y: 92.2041),
    ])

  /// 1024 × 1024 pixels for generative networks, in the square of the FFHQ data set (T. Karras, S. Laine, T. Aila, "A
  /// Style-Based Generator Architecture for Generative Adversarial Networks", 2019, appendix A), mirrored outside.
  ///
  /// FFHQ takes the center of each eye from six landmarks. Here it is the landmark of the eye.
  public static let ffhq1024 = FaceTemplate(
    name: "ffhq-1024", size: PixelSize(width: 1_024, height: 1_024), points: [], fit: .ffhq, border: .mirror)

  /// 150 × 150 pixels for the recognition network of dlib, near its face chips with a padding of 0.25. Black outside.
  ///
  /// It is an approximation. dlib aligns the corners of the eyes and the base of the nose, which YuNet does not find.
  /// These points are eyes, tip of the nose and corners of the mouth on dlib's mean face with 68 points.
  public static let dlib150 = FaceTemplate(
    name: "dlib-150", size: PixelSize(width: 150, height: 150),
    points: [
      (0.225492, 0.215990), (0.754767, 0.215990), (0.490127, 0.515625), (0.254149, 0.780233), (0.726104, 0.780233),
    ]
    .map { Point(x: (0.25 + $0.0) / 1.5 * 150, y: (0.25 + $0.1) / 1.5 * 150) },
    fit: .image)

  /// The templates with a published definition.
  public static let all = [arcFace112, ffhq1024, dlib150]

  /// The upper bound of a point's distance from the output, in pixels.
  private static let farthest = 65_536.0

  /// Throws ``FaceCropError/invalidRequest(_:)`` if a number is not finite or out of its range.
  func check() throws(FaceCropError) {
    try InvalidRequest.check(!name.isEmpty && name.utf8.count <= 64, "a template's name", mustBe: "1 to 64 bytes long")
    try InvalidRequest.check(
      (1...Self.largestSide).contains(size.width) && (1...Self.largestSide).contains(size.height),
      "a template's sides", mustBe: "1 to \(Self.largestSide) pixels")
    guard fit != .ffhq else { return }
    let points = "a template's points"
    try InvalidRequest.check(self.points.count == 5, points, mustBe: "five: eyes, nose, and corners of the mouth")
    try InvalidRequest.check(
      self.points.allSatisfy { abs($0.x) <= Self.farthest && abs($0.y) <= Self.farthest }, points,
      mustBe: "finite, and within \(Int(Self.farthest)) pixels of the output")
    let first = self.points[0]
    try InvalidRequest.check(
      self.points.contains { abs($0.x - first.x) + abs($0.y - first.y) >= 1 }, points, mustBe: "apart")
  }

  /// Returns the affine map from an image to the output for a face: two rows of three numbers, as `warpAffine` of
  /// OpenCV takes them. Positions are in pixels of both, and the center of the top left pixel is (0, 0).
  ///
  /// - Parameters:
  ///   - landmarks: The landmarks of the face.
  ///   - picture: The image's size as displayed.
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` for an invalid template, or for landmarks that are one point or
  ///   not finite.
  public func matrix(for landmarks: FaceLandmarks, in picture: PixelSize) throws(FaceCropError) -> [Double] {
    try check()
    return try map(of: landmarks, in: picture).betweenCenters.rows
  }

  /// Returns the map between positions that count from the corners of image and output.
  func map(of landmarks: FaceLandmarks, in picture: PixelSize) throws(FaceCropError) -> AffineMap {
    let places = landmarks.points.map { ($0.x * Double(picture.width), $0.y * Double(picture.height)) }
    let targets = points.map { ($0.x + 0.5, $0.y + 0.5) }
    let map: AffineMap? =
      switch fit {
      case .output: AffineMap(similarityFrom: places, to: targets)
      case .image: AffineMap(similarityFrom: targets, to: places)?.inverted
      case .ffhq: squareOfFFHQ(around: places)
      }
    guard let map, map.rows.allSatisfy(\.isFinite) else {
      throw .invalidRequest("a face's eyes, nose and mouth are one point, so that no template fits")
    }
    return map
  }

  /// Returns the map to the square of the FFHQ data set.
  ///
  /// Its horizontal axis is the mean of the line between the eyes and the normal of the line from eyes to mouth. Its
  /// side is 4 times the distance of the eyes, or 3.6 times the distance from eyes to mouth, if that is longer. Its
  /// center lies a tenth of the way from the eyes to the mouth.
  private func squareOfFFHQ(around places: [(x: Double, y: Double)]) -> AffineMap? {
    let (right, left, mouthRight, mouthLeft) = (places[0], places[1], places[3], places[4])
    let eyes = (x: (right.x + left.x) / 2, y: (right.y + left.y) / 2)
    let across = (x: left.x - right.x, y: left.y - right.y)
    let down = (x: (mouthRight.x + mouthLeft.x) / 2 - eyes.x, y: (mouthRight.y + mouthLeft.y) / 2 - eyes.y)
    let axis = (x: across.x + down.y, y: across.y - down.x)
    func length(_ vector: (x: Double, y: Double)) -> Double { (vector.x * vector.x + vector.y * vector.y).squareRoot() }
    let side = 2 * max(2 * length(across), 1.8 * length(down))
    guard side > 0, length(axis) > 0 else { return nil }
    let (cosine, sine) = (axis.x / length(axis), axis.y / length(axis))
    let scale = Double(size.width) / side
    let (a, b) = (cosine * scale, sine * scale)
    let center = (x: eyes.x + 0.1 * down.x, y: eyes.y + 0.1 * down.y)
    return AffineMap(rows: [
      a, b, Double(size.width) / 2 - a * center.x - b * center.y,
      -b, a, Double(size.height) / 2 + b * center.x - a * center.y,
    ])
  }

  /// An option of a crop that contradicts a template.
  public enum Conflict: Hashable, Sendable {
    /// A rotation by the eyes alone. The template has a rotation of its own.
    case alignsEyes
    /// Several people in one output. A template has one face.
    case severalFaces
    /// An output for an image without a face.
    case noFace
  }

  /// Returns which of a caller's options contradicts a template; nil for none. Defaults are no options of the caller.
  ///
  /// - Parameters:
  ///   - faces: The selection; nil if the caller made none.
  ///   - noFace: The fallback; nil if the caller chose none.
  ///   - alignsEyes: Whether the caller wants level eyes.
  public static func conflict(faces: FaceSelection?, noFace: NoFacePolicy?, alignsEyes: Bool) -> Conflict? {
    if alignsEyes { return .alignsEyes }
    if faces == .union || faces == .tagged { return .severalFaces }
    return switch noFace {
    case .whole, .center, .attention: .noFace
    case .bestGuess, .person, .skip, .fail, nil: nil
    }
  }
}
