extension FaceCropper {
  /// The faces of a search in tiles, and the image from which the tiles were cut.
  struct TiledSearch {
    var faces: [Face]
    var image: PixelBuffer
  }

  /// Searches an image again in tiles; see ``TilePlan``. `found` are the faces from the detection pass over the whole
  /// image.
  func search(
    _ plan: TilePlan, of session: any ImageSession, found: [Face], by detector: any ReadyFaceDetector, _ job: Job
  ) throws(FaceCropError) -> TiledSearch {
    let picture = session.header.displaySize
    let tiled = try self.faces(plan, of: session, job) { (part) throws(FaceCropError) in
      try FaceCropError.typed { try detector.faces(in: part, for: .allFaces) }
    }
    var faces = found + tiled.faces
    // Removes duplicates from overlapping tiles, and fragments of larger faces.
    faces = faces.suppressed(above: 0.3) { $0.intersectionOverUnion($1) }
    faces = faces.filter { face in
      !faces.contains { $0.box.area > 2 * face.box.area && $0.box.intersectionOverSmaller(face.box) > 0.6 }
    }
    return TiledSearch(faces: SmallFaces.filtered(faces, in: picture, acceptance: 0), image: tiled.image)
  }

  /// Returns the faces that `found` finds in the tiles and no tile's inner edge cuts, with duplicates.
  func faces(
    _ plan: TilePlan, of session: any ImageSession, _ job: Job,
    _ found: (_ tile: PixelBuffer) throws(FaceCropError) -> [Face]
  ) throws(FaceCropError) -> TiledSearch {
    let renderer = RegionRenderer(
      CropPlan.Crop(region: .whole, faces: []), in: session.header.displaySize, fill: .edge, session: session)
    let decoded = try renderer.pictures(sizes: [plan.size], limits: limits, isLast: false, progress: .silent)
    let image = detector.input.format == .gray ? decoded.value[0].inGray() : decoded.value[0].inColor()
    var faces: [Face] = []
    for tile in plan.tiles {
      try job.check()
      let place = tile.normalized(in: image.size)
      faces += try found(image.cropped(to: tile))
        .compactMap(\.cutToImage).filter { $0.isWhole(in: tile, of: image.size) }.map { $0.moved(into: place) }
    }
    return TiledSearch(faces: faces, image: image)
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
