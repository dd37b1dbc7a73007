import FaceCrop

extension CropPlan {
  /// Returns all crops, for the names of their outputs. `hasFace` tells whether the image has the requested face.
  func places(hasFace: Bool) -> [CropPlace] {
    // The number of a crop's only face among all faces, from left to right.
    var numbers = [Int](repeating: 0, count: faces.count)
    for (number, face) in FaceOrder.left.indices(of: faces).enumerated() { numbers[face] = number + 1 }
    return zip(crops, outputNumbers).map { crop, number in
      CropPlace(
        number: number, face: crop.faces.count == 1 ? numbers[crop.faces[0]] : nil, isAlone: crops.count == 1,
        hasFace: hasFace)
    }
  }
}

/// A crop of an image, for the name of its output.
struct CropPlace: Sendable {
  /// The number of the crop, from 1.
  var number = 1
  /// The number of its only face among all faces, from left to right; nil for several faces or none.
  var face: Int?
  /// Whether the image has no other crop.
  var isAlone = true
  /// Whether the image has the requested face.
  var hasFace = true
}

extension CropPlan.Crop {
  /// The rectangle that the output shows, before a rotation.
  var shown: NormalizedRect { turn?.rect ?? frame ?? region }
}

extension NormalizedRect {
  /// Returns the sides in pixels of an image.
  func pixels(in size: PixelSize) -> (width: Double, height: Double) {
    (width * Double(size.width), height * Double(size.height))
  }
}
