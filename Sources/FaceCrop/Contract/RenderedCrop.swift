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
  /// What it shows of the picture; nil where nobody asks for places in it.
  var view: CropView? = nil
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

  /// Returns where the landmarks of the crop's face are, in fractions of the output; nil for a crop of none or several faces, and for a
  /// detector that finds no landmarks.
  ///
  /// - Parameter plan: The plan that the crop was made by.
  public func landmarks(in plan: CropPlan) -> FaceLandmarks? { view?.landmarks(of: faces, in: plan) }
}

/// What an output shows of an image: it maps places in one to places in the other.
struct CropView: Hashable, Sendable {
  /// The frame in pixels of the image as displayed; the rectangle before it is turned, where it is.
  var frame: Frame
  /// The angle in degrees, clockwise, by which the rectangle is turned about its middle.
  var degrees = 0.0

  /// Returns a point in fractions of the output.
  ///
  /// - Parameters:
  ///   - point: In fractions of the image.
  ///   - image: The image's size as displayed.
  func place(of point: NormalizedPoint, in image: PixelSize) -> NormalizedPoint {
    let map = AffineMap(
      degrees: degrees, scale: 1, center: (frame.midX, frame.midY), target: (frame.width / 2, frame.height / 2))
    let (x, y) = map.applied(point.x * Double(image.width), point.y * Double(image.height))
    return NormalizedPoint(x: x / frame.width, y: y / frame.height)
  }

  fileprivate func landmarks(of faces: [Int], in plan: CropPlan) -> FaceLandmarks? {
    guard faces.count == 1, plan.faces.indices.contains(faces[0]), let found = plan.faces[faces[0]].landmarks else {
      return nil
    }
    let points = found.points.map { place(of: $0, in: plan.source) }
    return FaceLandmarks(
      rightEye: points[0], leftEye: points[1], nose: points[2], mouthRight: points[3], mouthLeft: points[4])
  }
}

extension LosslessCrop {
  /// Returns where the landmarks of the crop's face are, in fractions of the output as displayed; see ``RenderedCrop/landmarks(in:)``.
  public func landmarks(in plan: CropPlan) -> FaceLandmarks? {
    CropView(frame: Frame(region)).landmarks(of: faces, in: plan)
  }
}
