/// Decides which regions are wanted: a pure function of the picture's size, the faces and the request.
public struct CropPlanner: Sendable {
  public init() {}

  /// The regions for the faces found, in whole pixels of the picture.
  ///
  /// Each is the union of the selected face boxes, grown by the padding, grown to the aspect, and moved into the picture;
  /// where it is larger than the picture it is made smaller, keeping its aspect and its center over the faces as far as
  /// that is possible.
  ///
  /// - Parameters:
  ///   - faces: in displayed space, highest score first.
  ///   - picture: the size as displayed, at least 1 × 1.
  /// - Returns: one crop for each group of faces selected, or what ``CropRequest/noFace`` asks for.
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` and ``FaceCropError/noFace``.
  public func crops(
    for faces: [Face], in picture: PixelSize, request: CropRequest
  ) throws(FaceCropError) -> [CropPlan.Crop] {
    try validate(request)
    let groups = request.faces.groups(of: faces)
    guard groups.isEmpty else {
      return groups.map { group in
        CropPlan.Crop(region: region(around: group.map { faces[$0].box }, in: picture, request: request), faces: group)
      }
    }
    switch request.noFace {
    case .whole: return [CropPlan.Crop(region: .whole, faces: [])]
    case .center: return [CropPlan.Crop(region: center(of: picture, aspect: request.aspect ?? .square), faces: [])]
    case .skip: return []
    case .fail: throw .noFace
    }
  }

  private func validate(_ request: CropRequest) throws(FaceCropError) {
    let padding = request.padding
    guard [padding.top, padding.right, padding.bottom, padding.left].allSatisfy({ $0.isFinite && $0 >= 0 }) else {
      throw .invalidRequest("the padding must be 0 or more on every side")
    }
    if let aspect = request.aspect {
      let ratio = aspect.width / aspect.height
      guard aspect.width > 0, aspect.height > 0, ratio.isFinite, ratio > 0 else {
        throw .invalidRequest("both sides of the aspect must be above 0")
      }
    }
    if case .number(let number) = request.faces, number < 1 {
      throw .invalidRequest("faces are counted from 1")
    }
  }

  private func region(around boxes: [NormalizedRect], in picture: PixelSize, request: CropRequest) -> NormalizedRect {
    // `reduce` from the first box: a union that starts at the zero rectangle would always reach the picture's corner.
    let faces = boxes.dropFirst().reduce(boxes[0]) { $0.union($1) }
    var box = NormalizedRect(
      x: faces.x - request.padding.left * faces.width, y: faces.y - request.padding.top * faces.height,
      width: faces.width * (1 + request.padding.left + request.padding.right),
      height: faces.height * (1 + request.padding.top + request.padding.bottom))
    guard let aspect = request.aspect else { return snapped(box.clamped(), in: picture) }

    box = box.clamped()
    var width = box.width * Double(picture.width)
    var height = box.height * Double(picture.height)
    let ratio = aspect.width / aspect.height
    if width < height * ratio { width = height * ratio } else { height = width / ratio }
    let excess = max(width / Double(picture.width), height / Double(picture.height), 1)
    return placed(
      width: width / excess, height: height / excess,
      midX: box.midX * Double(picture.width), midY: box.midY * Double(picture.height), in: picture)
  }

  private func center(of picture: PixelSize, aspect: AspectRatio) -> NormalizedRect {
    let ratio = aspect.width / aspect.height
    let width = min(Double(picture.width), Double(picture.height) * ratio)
    return placed(
      width: width, height: width / ratio, midX: Double(picture.width) / 2, midY: Double(picture.height) / 2,
      in: picture)
  }

  /// A rectangle of whole pixels of about this size around this point, shifted into the picture.
  private func placed(
    width: Double, height: Double, midX: Double, midY: Double, in picture: PixelSize
  ) -> NormalizedRect {
    func span(_ length: Double, _ middle: Double, _ side: Int) -> (start: Int, length: Int) {
      let whole = min(max(Int(length.rounded()), 1), side)
      let start = Int((middle - Double(whole) / 2).rounded())
      return (min(max(start, 0), side - whole), whole)
    }
    let horizontal = span(width, midX, picture.width)
    let vertical = span(height, midY, picture.height)
    return PixelRect(x: horizontal.start, y: vertical.start, width: horizontal.length, height: vertical.length)
      .normalized(in: picture)
  }

  private func snapped(_ rect: NormalizedRect, in picture: PixelSize) -> NormalizedRect {
    PixelRect(covering: rect, in: picture).normalized(in: picture)
  }
}
