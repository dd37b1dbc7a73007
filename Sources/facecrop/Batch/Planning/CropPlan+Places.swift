import FaceCrop

extension CropPlan {
  /// Returns the number of a crop's only face among all faces, from left to right; nil for several faces or none.
  func faceNumber(of crop: Int) -> Int? {
    guard crops[crop].faces.count == 1 else { return nil }
    return FaceOrder.left.indices(of: faces).firstIndex(of: crops[crop].faces[0]).map { $0 + 1 }
  }

  /// Returns all crops, for the names of their outputs. `hasFace` tells whether the image has the requested face.
  func places(hasFace: Bool) -> [CropPlace] {
    zip(crops.indices, outputNumbers).map { crop, number in
      CropPlace(number: number, face: faceNumber(of: crop), isAlone: crops.count == 1, hasFace: hasFace)
    }
  }
}
