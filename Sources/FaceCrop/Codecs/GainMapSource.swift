/// A picture's gain map as it is read: what it means, and its pixels in a session of their own.
struct GainMapSource {
  let metadata: GainMap.Metadata
  let session: any ImageSession

  var header: ImageHeader { session.header }

  /// Whether it covers a picture of that size, to a pixel of its own along each side.
  func isOfShape(_ size: PixelSize) -> Bool {
    let (map, picture) = (header.size, size)
    let across = Double(map.width) / Double(picture.width)
    let down = Double(map.height) / Double(picture.height)
    return abs(Double(picture.height) * across - Double(map.height)) <= 1.01
      || abs(Double(picture.width) * down - Double(map.width)) <= 1.01
  }
}
