/// A picture over hidden faces, such as a mask or an emoji. Create it with ``FaceCropper/blurImage(from:)``.
///
/// The pixels are opaque. Transparency became black, so that no face shows through.
public struct BlurImage: Hashable, Sendable {
  /// The picture in RGB, and in halves of each size down to a few pixels, for small areas.
  let sizes: [PixelBuffer]
  var digest: ContentHash { ContentHash(of: sizes[0].bytes + Array("\(sizes[0].size)".utf8)) }

  init(_ picture: PixelBuffer) {
    var sizes = [picture.flattened(on: BackgroundColor(red: 0, green: 0, blue: 0)).inColor()]
    while let last = sizes.last, last.size.longSide > 8 { sizes.append(last.averaged(by: 2)) }
    self.sizes = sizes
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(sizes.last) }
}
