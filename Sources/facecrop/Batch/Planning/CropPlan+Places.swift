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
