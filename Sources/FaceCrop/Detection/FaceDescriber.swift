/// Says of faces what the picture shows beside their boxes: heads and sharpness.
struct FaceDescriber {
  private let picture: PixelBuffer

  /// - Parameter picture: Upright, in which the faces were found.
  init(in picture: PixelBuffer) {
    self.picture = picture
  }

  /// The most faces that are described where all count, and where one does, perhaps chosen instead of the largest.
  static let (mostFaces, fewFaces) = (32, 4)

  /// The same faces with heads and sharpness, where they are large enough. What a face says already stays.
  ///
  /// - Parameter count: how many are described, the largest first.
  func described(_ faces: [Face], atMost count: Int = mostFaces) throws(FaceCropError) -> [Face] {
    guard !faces.isEmpty else { return [] }
    let largest = faces.indices.sorted { (-faces[$0].box.area, $0) < (-faces[$1].box.area, $1) }.prefix(count)
    let (heads, sharpness) = (HeadFinder(in: picture), FaceSharpness(in: picture))
    var faces = faces
    for index in largest {
      if faces[index].head == nil { faces[index].head = heads.head(of: faces[index]) }
      if faces[index].sharpness == nil { faces[index].sharpness = try sharpness.score(of: faces[index]) }
    }
    return faces
  }
}
