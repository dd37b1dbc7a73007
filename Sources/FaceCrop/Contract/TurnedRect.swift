/// A rectangle in pixels of an image, rotated about its center.
struct TurnedRect {
  var degrees: Double
  var middle: (x: Double, y: Double)
  var size: PixelSize

  init(_ turn: CropPlan.Crop.Turn, in picture: PixelSize) {
    let rect = turn.rect.frame(in: picture)
    degrees = turn.degrees
    middle = (rect.midX, rect.midY)
    size = PixelSize(width: max(Int(rect.width.rounded()), 1), height: max(Int(rect.height.rounded()), 1))
  }
}
