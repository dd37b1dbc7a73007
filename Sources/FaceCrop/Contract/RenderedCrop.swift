/// One region of a picture at one size, decoded and turned upright.
public struct RenderedCrop: Hashable, Sendable {
  /// The pixels as displayed: RGBA for pictures with transparency and cut to a circle, else gray for gray pictures and RGB
  /// for all others.
  public var pixels: PixelBuffer
  /// The region in pixels of the picture as displayed.
  public var region: PixelRect
  /// Indices of the faces that it is for, in the plan; empty when it is for none.
  public var faces: [Int]
  /// Which of the plan's crops it is of.
  public var crop: Int
  /// The picture's ICC profile, which describes `pixels`; nil when it has none that fits.
  public var colorProfile: [UInt8]?
  /// EXIF data made true for this crop, as a TIFF structure, without JPEG's "Exif\0\0" before it; nil under ``MetadataPolicy/strip`` or when there are none.
  public var exif: [UInt8]?
  /// An XMP packet with the picture's credits, written anew; nil under ``MetadataPolicy/strip`` or when IPTC and XMP have none.
  public var xmp: [UInt8]?
  /// Pixels per inch that its file is to say; nil says nothing.
  public var resolution: Double?
  /// Its part of the picture's gain map, which a JPEG file of the crop gets; nil where there is none, or it was dropped.
  public var gainMap: GainMap?
  /// How its pixels were reached.
  public var path: DecodePath
}

/// What ``FaceCropper/crop(_:request:progress:)`` gives.
public struct CropResult: Sendable {
  /// What was rendered.
  public var plan: CropPlan
  /// The crops: for each of the plan's, in order, one for each size asked for.
  public var crops: [RenderedCrop]
  /// What was wrong and did not keep the picture from being cropped, in a fixed order.
  public var warnings: [CropWarning]
  /// How the look reached its pixels; nil when a plan was given and nothing was looked at.
  public var lookPath: DecodePath?
}

extension RenderedCrop {
  /// The size in pixels.
  public var size: PixelSize { pixels.size }
}
