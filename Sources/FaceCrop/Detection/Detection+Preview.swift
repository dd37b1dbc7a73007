internal import COpenCVShim

extension PixelBuffer {
  /// Returns the image in color, with boxes, heads, landmarks, scores, and detector names drawn.
  func marked(with faces: [Face]) throws(FaceCropError) -> PixelBuffer {
    var picture = inColor()
    let marks = faces.map { FCMark($0, in: size) }
    var message = FCMessage()
    let status = unsafe picture.bytes.withUnsafeMutableBufferPointer { pixels in
      unsafe marks.withUnsafeBufferPointer { marks in
        unsafe fcvision_draw(
          pixels.baseAddress!, Int32(size.width), Int32(size.height), marks.baseAddress, marks.count, &message)
      }
    }
    try check(status, message)
    return picture
  }
}

extension FCMark {
  fileprivate init(_ face: Face, in size: PixelSize) {
    self.init()
    let (width, height) = (Double(size.width), Double(size.height))
    (x, y) = (Float(face.box.x * width), Float(face.box.y * height))
    (self.width, self.height) = (Float(face.box.width * width), Float(face.box.height * height))
    if let outline = face.head?.drawnOutline.prefix(Int(FC_MOST_OUTLINE)) {
      outlineCount = Int32(outline.count)
      unsafe withUnsafeMutableBytes(of: &self.outline) { bytes in
        for (place, value) in outline.flatMap({ [Float($0.x * width), Float($0.y * height)] }).enumerated() {
          unsafe bytes.storeBytes(of: value, toByteOffset: place * MemoryLayout<Float>.stride, as: Float.self)
        }
      }
    }
    if let points = face.landmarks?.points {
      hasLandmarks = true
      unsafe withUnsafeMutableBytes(of: &landmarks) { bytes in
        let values = points.flatMap { [Float($0.x * width), Float($0.y * height)] }
        for (place, value) in values.enumerated() {
          unsafe bytes.storeBytes(of: value, toByteOffset: place * MemoryLayout<Float>.stride, as: Float.self)
        }
      }
    }
    let hundredths = Int((face.score * 100).rounded())
    let score = "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
    let text = ([score] + (face.detectors.isEmpty ? [] : [face.detectors.joined(separator: "+")])).joined(
      separator: " ")
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
