extension FaceCropper {
  /// The faces of a search in tiles, and the image from which the tiles were cut.
  struct TiledSearch {
    var faces: [Face]
    var image: PixelBuffer
  }

  /// Searches an image again in tiles; see ``TilePlan``. `found` are the faces in the whole image.
  func search(
    _ plan: TilePlan, of session: any ImageSession, found: [Face], by detector: any ReadyFaceDetector, _ job: Job
  ) throws(FaceCropError) -> TiledSearch {
    let picture = session.header.displaySize
    let whole = try image(plan.size, of: session)
    let image = self.detector.input.format == .gray ? whole.inGray() : whole.inColor()
    var faces =
      try found
      + plan.faces(in: image, job) { (part) throws(FaceCropError) in
        try FaceCropError.typed { try detector.faces(in: part, for: .allFaces) }
      }
    // Removes duplicates from overlapping tiles, and fragments of larger faces.
    faces = faces.suppressed(above: 0.3) { $0.intersectionOverUnion($1) }
    faces = faces.filter { face in
      !faces.contains { $0.box.area > 2 * face.box.area && $0.box.intersectionOverSmaller(face.box) > 0.6 }
    }
    return TiledSearch(faces: SmallFaces.filtered(faces, in: picture, acceptance: 0), image: image)
  }

  /// Returns the whole image of a session at a size, upright.
  func image(_ size: PixelSize, of session: any ImageSession) throws(FaceCropError) -> PixelBuffer {
    let renderer = RegionRenderer(
      CropPlan.Crop(region: .whole, faces: []), in: session.header.displaySize, fill: .edge, session: session)
    return try renderer.pictures(sizes: [size], limits: limits, isLast: false, progress: .silent).value[0]
  }
}

extension TilePlan {
  /// Returns the faces that `found` finds in the tiles and no tile's inner edge cuts, with duplicates.
  func faces(
    in image: PixelBuffer, _ job: Job, _ found: (_ tile: PixelBuffer) throws(FaceCropError) -> [Face]
  ) throws(FaceCropError) -> [Face] {
    var faces: [Face] = []
    for tile in tiles {
      try job.check()
      let place = tile.normalized(in: size)
      faces += try found(image.cropped(to: tile))
        .compactMap(\.cutToImage).filter { $0.isWhole(in: tile, of: size) }.map { $0.moved(into: place) }
    }
    return faces
  }
}

extension Face {
  /// Returns whether no inner edge of the tile cuts the face.
  fileprivate func isWhole(in tile: PixelRect, of image: PixelSize) -> Bool {
    let margin = 0.01
    return (tile.x == 0 || box.x > margin) && (tile.y == 0 || box.y > margin)
      && (tile.x + tile.width == image.width || box.maxX < 1 - margin)
      && (tile.y + tile.height == image.height || box.maxY < 1 - margin)
  }
}
