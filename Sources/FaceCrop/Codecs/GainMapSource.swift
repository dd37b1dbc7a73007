/// A gain map to decode: its metadata, and a session for its pixels.
struct GainMapSource {
  let metadata: GainMap.Metadata
  let session: any ImageSession

  var header: ImageHeader { session.header }

  /// Returns whether it has the aspect ratio of an image of `size`, to within one of its own pixels.
  func isOfShape(_ size: PixelSize) -> Bool {
    let (map, picture) = (header.size, size)
    let across = Double(map.width) / Double(picture.width)
    let down = Double(map.height) / Double(picture.height)
    return abs(Double(picture.height) * across - Double(map.height)) <= 1.01
      || abs(Double(picture.width) * down - Double(map.width)) <= 1.01
  }
}
