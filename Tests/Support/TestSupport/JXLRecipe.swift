import CJXLFixtures

/// How a JPEG XL file is made.
public struct JXLRecipe: Sendable {
  /// Steps that can just be seen; 0 is without loss.
  public var distance: Float = 0
  public var isResponsive = false
  public var hasContainer = false
  public var orientation = 1
  /// The frames of an animation.
  public var frames = 1
  /// Whether each frame is blended over the one before.
  public var blends = false
  /// How often the animation plays; 0 for forever.
  public var plays = 0
  /// Layers of 8-bit pixels, which stay in memory until the last.
  public var layers = 1
  /// How many times as wide and high as the image the layers below the last are.
  public var layerScale = 1
  public var bits = 8
  public var hasBlackInk = false
  /// Code points of ITU-T H.273; nil for sRGB. Those of Display P3 are 11 here.
  public var primaries: Int?
  public var transfer: Int?
  public var profile: [UInt8] = []
  /// A TIFF structure.
  public var exif: [UInt8] = []
  public var xmp: [UInt8] = []
  public var compressesBoxes = false

  /// Whether libjxl takes the memory for pixels from its caller, who can then bound it.
  public static var countsMemory: Bool { fj_counts_memory() }

  public init() {}

  public func with(_ change: (inout JXLRecipe) -> Void) -> JXLRecipe {
    var recipe = self
    change(&recipe)
    return recipe
  }

  /// Encodes gray or RGB, with or without alpha. All frames are the same.
  public func encode(_ pixels: Pixels) throws -> [UInt8] {
    try encode(frames: Array(repeating: pixels, count: frames))
  }

  /// Encodes an animation. The first frame takes a tenth of a second, and each other one a tenth more.
  public func encode(frames all: [Pixels]) throws -> [UInt8] {
    let pixels = all[0]
    let samples = all.flatMap(\.samples)
    // The offset of the structure stands before it.
    let exif = exif.isEmpty ? [] : [0, 0, 0, 0] + exif
    var count = 0
    let made = unsafe profile.withUnsafeBufferPointer { profile in
      unsafe exif.withUnsafeBufferPointer { exif in
        unsafe xmp.withUnsafeBufferPointer { xmp in
          unsafe fj_encode(
            samples, pixels.width, pixels.height, Int32(pixels.channels),
            fj_encoding(
              distance: distance, responsive: isResponsive ? 1 : 0, container: hasContainer ? 1 : 0,
              orientation: Int32(orientation), frames: Int32(all.count), blends: blends ? 1 : 0,
              plays: Int32(plays), layers: Int32(layers), layerScale: Int32(layerScale), bits: Int32(bits),
              black: hasBlackInk ? 1 : 0, primaries: Int32(primaries ?? 0),
              transfer: Int32(transfer ?? 0), profile: profile.baseAddress, profileCount: profile.count,
              exif: exif.baseAddress, xmp: xmp.baseAddress, exifCount: exif.count, xmpCount: xmp.count,
              compressesBoxes: compressesBoxes ? 1 : 0), &count)
        }
      }
    }
    guard let bytes = unsafe made else { throw FixtureError("libjxl encodes nothing") }
    defer { unsafe fj_free(bytes) }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
