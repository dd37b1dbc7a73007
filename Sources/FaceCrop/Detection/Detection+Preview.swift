internal import COpenCVShim

extension PixelBuffer {
  /// Returns the image in color, with boxes, heads, landmarks and scores drawn, and the numbers of the faces.
  func marked(with faces: [Face], numberedBy order: FaceOrder) throws(FaceCropError) -> PixelBuffer {
    var picture = inColor()
    let marks = order.indices(of: faces).enumerated().map { FCMark(faces[$1], $0 + 1, listed: $1 + 1, in: size) }
    var message = FCMessage()
    let status = unsafe fcvision_draw(
      &picture.bytes, Int32(size.width), Int32(size.height), marks, marks.count, &message)
    try check(status, message)
    return picture
  }
}

extension FCMark {
  /// Creates the mark of a face with its number in an order, and that in the list, by which `blur` names faces.
  fileprivate init(_ face: Face, _ number: Int, listed place: Int, in size: PixelSize) {
    self.init()
    let (width, height) = (Double(size.width), Double(size.height))
    func store(_ points: some Sequence<NormalizedPoint>, _ bytes: UnsafeMutableRawBufferPointer) {
      let values = points.flatMap { [Float($0.x * width), Float($0.y * height)] }
      unsafe values.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
    }
    (x, y) = (Float(face.box.x * width), Float(face.box.y * height))
    (self.width, self.height) = (Float(face.box.width * width), Float(face.box.height * height))
    if let outline = face.head?.drawnOutline.prefix(Int(FC_MOST_OUTLINE)) {
      outlineCount = Int32(outline.count)
      unsafe withUnsafeMutableBytes(of: &self.outline) { unsafe store(outline, $0) }
    }
    if let points = face.landmarks?.points {
      hasLandmarks = true
      unsafe withUnsafeMutableBytes(of: &landmarks) { unsafe store(points, $0) }
    }
    self.number = Int32(number)
    let text = "\((face.score * 100).rounded() / 100)" + (place == number ? "" : " blur \(place)")
    unsafe withUnsafeMutableBytes(of: &label) { bytes in
      unsafe bytes.copyBytes(from: text.utf8.prefix(bytes.count - 1))
    }
  }
}

extension Head {
  /// The outline, or else the rectangle around the head.
  fileprivate var drawnOutline: [NormalizedPoint] {
    outline ?? [
      NormalizedPoint(x: left.position, y: crown.position), NormalizedPoint(x: right.position, y: crown.position),
      NormalizedPoint(x: right.position, y: chin.position), NormalizedPoint(x: left.position, y: chin.position),
    ]
  }
}
