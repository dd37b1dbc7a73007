internal import Glibc

// A crop's rectangles depend on each other. All planners and editors of facecrop write rectangles that agree.

extension CropPlan {
  /// Throws the first disagreement between rectangles of a crop, with the rectangle to edit.
  func checkAgreement() throws(ValidationError) {
    for (index, crop) in crops.enumerated() {
      guard let fault = crop.fault(in: source) else { continue }
      throw ValidationError(member: .crops, clause: "crops[\(index)] shows pixels outside of \(fault)")
    }
  }
}

extension CropPlan.Crop {
  /// The differences that rounding explains: in pixels, for rectangles of whole pixels, and in fractions of the image,
  /// for numbers with three decimals.
  private static let (roundedPixels, roundedPart) = (2.0, 0.003)

  /// Returns the area that the output leaves, and the remedy; nil if all rectangles agree. An edit of the region alone
  /// would cause this, and the output would show repeated edge pixels.
  ///
  /// The rotated rectangle lies in the frame, or else in the region, which is the frame's part in the image.
  func fault(in image: PixelSize) -> String? {
    if let bounds = turn?.bounds(in: image) {
      if let frame {
        guard Self.holds(bounds, in: frame, image) else {
          return "its frame, by its turn (change turn.rect together with frame and region, or remove turn)"
        }
      } else if !Self.holds(bounds, in: .whole, image) {
        // No region can hold it.
        return "the image, by its turn (move turn.rect away from the image's edge, or make it smaller)"
      } else if !Self.holds(bounds, in: region, image) {
        return "its region, by its turn (change turn.rect together with region, or remove turn)"
      }
    }
    if let frame, !Self.holds(frame.clamped(), in: region, image) {
      return "its region, by its frame (change frame together with region, or remove frame)"
    }
    return nil
  }

  /// Returns whether `inner` lies in `outer`, up to rounding errors.
  private static func holds(_ inner: NormalizedRect, in outer: NormalizedRect, _ image: PixelSize) -> Bool {
    let across = roundedPixels / Double(image.width) + roundedPart
    let down = roundedPixels / Double(image.height) + roundedPart
    return inner.x >= outer.x - across && inner.maxX <= outer.maxX + across
      && inner.y >= outer.y - down && inner.maxY <= outer.maxY + down
  }
}

extension CropPlan.Crop.Turn {
  /// Returns the smallest upright rectangle around the rotated one.
  func bounds(in image: PixelSize) -> NormalizedRect {
    let frame = rect.frame(in: image)
    let (cosine, sine) = (abs(cos(degrees * .pi / 180)), abs(sin(degrees * .pi / 180)))
    let (width, height) = (
      cosine * frame.width + sine * frame.height, sine * frame.width + cosine * frame.height
    )
    return Frame(x: frame.midX - width / 2, y: frame.midY - height / 2, width: width, height: height)
      .normalized(in: image)
  }
}
