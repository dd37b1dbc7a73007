extension CropPlanner {
  /// Returns a crop with a rotated frame, in which the face's eyes are level; nil if they already are, or no rotated
  /// frame fits into the image.
  ///
  /// The framing places it in the rotated image. If its frame reaches out of the image, the result is the frame inside
  /// with the lowest cost. A frame without a framing is moved, then shrunk down to the face.
  func leveled(_ index: Int, of faces: [Face], in picture: PixelSize, layout: Composition.Layout) -> CropPlan.Crop? {
    let face = faces[index]
    guard let alignment = Alignment(of: face, in: picture) else { return nil }
    func whole(_ frame: Frame) -> Frame {
      let (width, height) = (max(frame.width.rounded(), 1), max(frame.height.rounded(), 1))
      return Frame(x: frame.midX - width / 2, y: frame.midY - height / 2, width: width, height: height)
    }
    let search = layout.framing.map { FrameSearch($0, around: alignment.leveled(face, in: picture)) }
    let wanted =
      search?.frame(padding: layout.padding)
      ?? region(around: [face], in: picture, layout: layout).frame(in: picture)
    let limit = CropPlan.Crop.largestFrame
    guard wanted.width <= limit * Double(picture.width), wanted.height <= limit * Double(picture.height) else {
      return nil
    }
    let most = layout.edge == .shift ? 0 : layout.framing?.largestPaddedShare ?? 1
    func share(outside frame: Frame) -> Double {
      CropView(frame: alignment.picture(whole(frame)), degrees: alignment.degrees).share(outside: picture)
    }
    if most > 0, share(outside: wanted) <= most {
      return crop(of: whole(wanted), alignment, face: index, in: picture, isPadded: true)
    }
    let box = face.box.clamped().frame(in: picture)
    func placed(holding held: Frame) -> Frame? {
      guard let search else {
        return shrunk(wanted, alignment, in: picture) { alignment.moved(whole($0), into: picture, holding: held) }
      }
      return search.frame(padding: layout.padding, room: { alignment.room(for: $0, in: picture) - 1 }) {
        alignment.placed(whole($0), in: picture, holding: held)
      }
    }
    // The frame must contain the whole head, or else the face.
    let placed = search.flatMap { placed(holding: $0.wholeHead) } ?? placed(holding: box)
    guard let placed else { return nil }
    guard most > 0 else { return crop(of: placed, alignment, face: index, in: picture, isPadded: false) }
    let frame = wanted.limited(to: most, before: placed, outside: share)
    return crop(of: whole(frame), alignment, face: index, in: picture, isPadded: true)
  }

  /// Returns the result of `move` for the largest frame that has one, down to a tenth of the size.
  private func shrunk(
    _ frame: Frame, _ alignment: Alignment, in picture: PixelSize, _ move: (Frame) -> Frame?
  ) -> Frame? {
    var factor = min(alignment.room(for: frame.width / frame.height, in: picture) / frame.height, 1)
    while factor > 0.1 {
      let (width, height) = (frame.width * factor, frame.height * factor)
      let smaller = Frame(x: frame.midX - width / 2, y: frame.midY - height / 2, width: width, height: height)
      if let moved = move(smaller) { return moved }
      factor *= 0.98
    }
    return nil
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
      degrees: alignment.degrees, rect: alignment.picture(frame).normalized(in: picture))
    let seen = held.normalized(in: picture).clamped()
    guard seen.area > 0 else { return nil }
    let region = PixelRect(covering: seen, in: picture)
    let outer = isPadded ? PixelRect(outside: held) : region
    return CropPlan.Crop(
      region: region.normalized(in: picture), frame: outer == region ? nil : outer.normalized(in: picture),
      turn: turn, faces: [face])
  }
}
