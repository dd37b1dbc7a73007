extension CropPlanner {
  /// Returns a crop that brings a face's landmarks to the points of a template. Its frame may reach out of the image.
  func aligned(
    _ group: [Int], of faces: [Face], in picture: PixelSize, to template: FaceTemplate
  ) throws(FaceCropError) -> CropPlan.Crop {
    guard group.count == 1 else {
      throw .invalidRequest("a template aligns one face in each output (select one face, or each)")
    }
    guard let landmarks = faces[group[0]].landmarks else {
      throw .invalidRequest("a template needs eyes, nose and mouth, and a face has none (use the detector YuNet)")
    }
    let map = try template.map(of: landmarks, in: picture)
    let (width, height) = (Double(template.size.width) / map.scale, Double(template.size.height) / map.scale)
    let middle = map.inverse(Double(template.size.width) / 2, Double(template.size.height) / 2)
    let rect = Frame(x: middle.x - width / 2, y: middle.y - height / 2, width: width, height: height)
    let turn = CropPlan.Crop.Turn(degrees: map.degrees, rect: rect.normalized(in: picture))
    // The bounding box of the rotated frame.
    let (cosine, sine) = (abs(map.rows[0]) / map.scale, abs(map.rows[1]) / map.scale)
    let bounds = (width: cosine * width + sine * height, height: sine * width + cosine * height)
    let held = Frame(
      x: middle.x - bounds.width / 2, y: middle.y - bounds.height / 2, width: bounds.width, height: bounds.height)
    // The pixels around it that interpolation and a mirrored border need.
    let margin = max(width / 10, Self.templateMargin)
    let seen = Frame(
      x: held.x - margin, y: held.y - margin, width: held.width + 2 * margin, height: held.height + 2 * margin
    ).normalized(in: picture).clamped()
    guard turn.isUsable, seen.area > 0 else { throw Self.outside(template) }
    let region = PixelRect(covering: seen, in: picture).normalized(in: picture)
    let outer = PixelRect(outside: held).normalized(in: picture).union(region)
    let crop = CropPlan.Crop(
      region: region, frame: outer == region ? nil : outer, turn: turn, template: template, faces: group)
    guard crop.hasUsableFrame else { throw Self.outside(template) }
    return crop
  }

  private static func outside(_ template: FaceTemplate) -> FaceCropError {
    .invalidRequest("a face's place in the template \(template.name) would lie outside of the image, or be too large")
  }

  /// The least margin in pixels of the image.
  private static let templateMargin = 16.0
}
