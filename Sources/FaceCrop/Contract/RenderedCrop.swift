/// A region of an image at one size, decoded and upright.
public struct RenderedCrop: Hashable, Sendable {
  /// The pixels as displayed: RGBA for images with transparency and for circles, else gray for gray images and RGB for
  /// all others.
  public var pixels: PixelBuffer
  /// The region in pixels of the image as displayed.
  public var region: PixelRect
  /// The indices of the crop's faces in the plan. Empty for a crop without a face.
  public var faces: [Int]
  /// The index of the crop in the plan.
  public var crop: Int
  /// The image's ICC profile, which describes `pixels`; nil without a usable one.
  public var colorProfile: [UInt8]?
  /// The EXIF data, corrected for this crop, as a TIFF structure without JPEG's prefix "Exif\0\0". Nil under
  /// ``MetadataPolicy/strip``, or without EXIF data.
  public var exif: [UInt8]?
  /// An XMP packet with the image's credits, written anew. Nil under ``MetadataPolicy/strip``, or without credits in
  /// IPTC and XMP.
  public var xmp: [UInt8]?
  /// The resolution to write into the file, in pixels per inch; nil writes none.
  public var resolution: Double?
  /// The crop's region of the gain map, for JPEG outputs. Nil without a map, or if it was dropped.
  public var gainMap: GainMap?
  /// The method that decoded the pixels.
  public var path: DecodePath
  /// The confidence that the people are cut out well: the share of good cut-outs among such, 0…1. It is 1 with strokes,
  /// and nil without a new background.
  public var cutoutConfidence: Double?
  /// The view of the image that the crop shows; nil if positions in it are not needed.
  var view: CropView? = nil
}

/// The result of a call that makes all crops of an image.
public struct CropResult<Crop: Sendable>: Sendable {
  /// The plan of the crops.
  public var plan: CropPlan
  /// The crops, in the order of the plan, with one for each requested size.
  public var crops: [Crop]
  /// The problems that did not prevent cropping, in a fixed order.
  public var warnings: [CropWarning]
  /// The method of the detection pass; nil if a plan was given.
  public var detectionPath: DecodePath?

  /// Creates a result, for example in a test.
  public init(
    plan: CropPlan, crops: [Crop] = [], warnings: [CropWarning] = [], detectionPath: DecodePath? = nil
  ) {
    (self.plan, self.crops, self.warnings, self.detectionPath) = (plan, crops, warnings, detectionPath)
  }
}

extension CropResult where Crop == RenderedCrop {
  /// The index of the first crop with the same pixels, for each crop. Sizes above that of a region give equal crops,
  /// because nothing is enlarged by default. Encode only crops whose index is their own.
  public var firstEqual: [Int] {
    crops.indices.map { index in crops.firstIndex { $0.pixels == crops[index].pixels } ?? index }
  }
}

extension RenderedCrop {
  /// The size in pixels.
  public var size: PixelSize { pixels.size }

  /// Returns the landmarks of the crop's face, in fractions of the output, from its upper left corner. Nil for a crop of
  /// no or several faces, and for a detector without landmarks.
  ///
  /// - Parameter plan: The plan of the crop.
  public func landmarks(in plan: CropPlan) -> FaceLandmarks? { view?.landmarks(of: faces, in: plan) }

  /// The affine map from the image, as displayed and rotated, to the output: two rows of three numbers, as `warpAffine`
  /// of OpenCV takes them. Positions are in pixels of both, and the center of the top left pixel is (0, 0). Nil if the
  /// view is unknown.
  ///
  /// ``landmarks(in:)`` and ``Face/landmarks`` count from the corner of that pixel instead. So subtract 0.5 from
  /// positions in pixels before the map, and add 0.5 after it.
  public var matrix: [Double]? { view?.map(to: pixels.size).betweenCenters.rows }
}

/// The view of an image that an output shows. It maps positions in the image to positions in the output.
struct CropView: Hashable, Sendable {
  /// The frame in pixels of the image as displayed, before rotation.
  var frame: Frame
  /// The clockwise angle in degrees by which the frame is rotated about its center.
  var degrees = 0.0

  /// Returns a point in fractions of the output, from one in fractions of the image with this displayed size.
  func place(of point: NormalizedPoint, in image: PixelSize) -> NormalizedPoint {
    let map = AffineMap(
      degrees: degrees, scale: 1, center: (frame.midX, frame.midY), target: (frame.width / 2, frame.height / 2))
    let (x, y) = map.applied(point.x * Double(image.width), point.y * Double(image.height))
    return NormalizedPoint(x: x / frame.width, y: y / frame.height)
  }

  /// Returns the map to an output of this size, between positions that count from the corners.
  func map(to size: PixelSize) -> AffineMap {
    AffineMap(
      degrees: degrees, scale: Double(size.width) / frame.width, center: (frame.midX, frame.midY),
      target: (Double(size.width) / 2, Double(size.height) / 2))
  }

  /// Returns the share of the view that lies outside of an image, 0…1, to four decimals.
  func share(outside image: PixelSize) -> Double {
    let (width, height) = (frame.width, frame.height)
    let map = AffineMap(degrees: degrees, scale: 1, center: (frame.midX, frame.midY), target: (width / 2, height / 2))
    var corners = [(0, 0), (width, 0), (width, height), (0, height)].map { map.inverse($0.0, $0.1) }
    // Each side of the image cuts the polygon (Sutherland and Hodgman, "Reentrant polygon clipping", 1974).
    for (x, y, limit) in [(1.0, 0.0, 0.0), (-1, 0, -Double(image.width)), (0, 1, 0), (0, -1, -Double(image.height))] {
      corners = zip(corners, corners.dropFirst() + corners.prefix(1)).flatMap { from, to in
        let (start, end) = (x * from.x + y * from.y - limit, x * to.x + y * to.y - limit)
        let part = start / (start - end)
        let cut = (x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y))
        return (start >= 0 ? [from] : []) + ((start >= 0) == (end >= 0) ? [] : [cut])
      }
    }
    let area = zip(corners, corners.dropFirst() + corners.prefix(1)).reduce(0.0) { sum, side in
      sum + (side.0.x * side.1.y - side.1.x * side.0.y) / 2
    }
    return max(((1 - area / (width * height)) * 1e4).rounded() / 1e4, 0)
  }

  func landmarks(of faces: [Int], in plan: CropPlan) -> FaceLandmarks? {
    guard faces.count == 1, plan.faces.indices.contains(faces[0]), let found = plan.faces[faces[0]].landmarks else {
      return nil
    }
    return found.map { place(of: $0, in: plan.source) }
  }
}
