/// Something that was wrong with a picture and did not keep it from being rendered.
public enum CropWarning: Hashable, Sendable {
  /// The data ended early. Rows from `intactRows` on, as stored, are missing or, if `coarse`, lack detail.
  case truncated(intactRows: Int, rows: Int, coarse: Bool)
  /// Rows from `intactRows` on, as stored, are damaged.
  case corrupt(intactRows: Int, rows: Int)
  /// Bytes that do not belong where they are, without effect on the picture.
  case irregular
  /// The color profile is incomplete or is for other colors, and was dropped.
  case profileDropped
  /// The region is smaller than the output that was asked for, and nothing was enlarged.
  case smaller(asked: PixelSize, made: PixelSize)
  /// An output was not turned level: the detector does not say where the eyes are, or, if it does, there is no place in the
  /// picture for a turned frame that holds the face.
  case notLeveled(hasEyes: Bool)
  /// A lossless crop is larger than the region that was asked for: JPEG files are cut at the borders of iMCUs.
  case grown(asked: PixelRect, made: PixelRect)
}

extension CropWarning: CustomStringConvertible {
  public var description: String {
    switch self {
    case .truncated(let intactRows, let rows, _) where intactRows == rows:
      "ends without its end marker; all rows can be read"
    case .truncated(let intactRows, let rows, let coarse):
      "\(FaceCropError.truncated(intactRows: intactRows, rows: rows, coarse: coarse))"
    case .corrupt(let intactRows, let rows):
      "is damaged below row \(intactRows) of \(rows)"
    case .irregular:
      "has bytes where none belong; the picture may be damaged"
    case .profileDropped:
      "has a color profile that cannot be used; the output has none"
    case .notLeveled(hasEyes: true):
      "was not turned level: the corners would lie outside of the picture"
    case .notLeveled(hasEyes: false):
      "was not turned level: the detector found no eyes"
    case .grown(let asked, let made):
      "was cut at the borders of JPEG's blocks: the region grew by \(asked.x - made.x) pixels to the left, "
        + "\(asked.y - made.y) above, \(made.x + made.width - asked.x - asked.width) to the right, "
        + "\(made.y + made.height - asked.y - asked.height) below"
    case .smaller(let asked, let made):
      "is too small for \(asked.width)x\(asked.height) there; the output is \(made.width)x\(made.height)"
    }
  }
}
