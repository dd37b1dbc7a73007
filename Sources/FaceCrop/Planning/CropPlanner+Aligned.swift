extension CropPlanner {
  /// Returns a crop with a rotated frame, in which the face's eyes are level; nil if they already are, or no rotated
  /// frame fits into the image.
  ///
  /// The framing places it in the rotated image. A frame that reaches out of the image is moved, then shrunk down to
  /// the head, and then down to the face.
  func leveled(_ index: Int, of faces: [Face], in picture: PixelSize, layout: Composition.Layout) -> CropPlan.Crop? {
    let face = faces[index]
    guard let alignment = Alignment(of: face, in: picture) else { return nil }
    let box = face.box.clamped().frame(in: picture)
    let search = layout.framing.map { FrameSearch($0, around: alignment.leveled(face, in: picture)) }
    let outer = search?.frame(padding: layout.padding)
    func frame(shrunk factor: Double) -> Frame {
      guard let search, let outer else {
        let frame = region(around: [face], in: picture, layout: layout).frame(in: picture)
        return Frame(
          x: frame.midX - frame.width * factor / 2, y: frame.midY - frame.height * factor / 2,
          width: frame.width * factor, height: frame.height * factor)
      }
      // A smaller frame is placed anew, so that the space above the eyes shrinks with it.
      return factor < 1 ? search.frame(height: outer.height * factor) : outer
    }
    func whole(_ frame: Frame) -> Frame {
      let (width, height) = (max(frame.width.rounded(), 1), max(frame.height.rounded(), 1))
      return Frame(x: frame.midX - width / 2, y: frame.midY - height / 2, width: width, height: height)
    }

    let wanted = frame(shrunk: 1)
    let limit = CropPlan.Crop.largestFrame
    guard wanted.width <= limit * Double(picture.width), wanted.height <= limit * Double(picture.height) else {
      return nil
    }
    if layout.edge == .shift {
      let bounds = alignment.bounds(width: wanted.width, height: wanted.height)
      let first = min(Double(picture.width) / bounds.width, Double(picture.height) / bounds.height, 1)
      // The frame must contain the whole head, or else the face.
      let head = search.map { $0.wholeHead } ?? box
      for held in head == box ? [box] : [head, box] {
        var factor = first
        while true {
          let smaller = whole(frame(shrunk: factor))
          guard smaller.width >= held.width, smaller.height >= held.height else { break }
          if let placed = alignment.moved(smaller, into: picture, holding: held) {
            return crop(of: placed, alignment, face: index, in: picture, isPadded: false)
          }
          factor *= 0.98
        }
      }
      return nil
    }
    return crop(of: whole(wanted), alignment, face: index, in: picture, isPadded: true)
  }

  /// Creates a crop from a frame in the leveled image.
  private func crop(
    of frame: Frame, _ alignment: Alignment, face: Int, in picture: PixelSize, isPadded: Bool
  ) -> CropPlan.Crop? {
    let middle = alignment.picture(frame.midX, frame.midY)
    let bounds = alignment.bounds(width: frame.width, height: frame.height)
    let held = Frame(
      x: middle.x - bounds.width / 2, y: middle.y - bounds.height / 2, width: bounds.width, height: bounds.height)
    let turn = CropPlan.Crop.Turn(
      degrees: alignment.degrees,
      rect: Frame(
        x: middle.x - frame.width / 2, y: middle.y - frame.height / 2, width: frame.width, height: frame.height
      ).normalized(in: picture))
    let seen = held.normalized(in: picture).clamped()
    guard seen.area > 0 else { return nil }
    let region = PixelRect(covering: seen, in: picture)
    let outer = isPadded ? PixelRect(outside: held) : region
    return CropPlan.Crop(
      region: region.normalized(in: picture), frame: outer == region ? nil : outer.normalized(in: picture),
      turn: turn, faces: [face])
  }
}
