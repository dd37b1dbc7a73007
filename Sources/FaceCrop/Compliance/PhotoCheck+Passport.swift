extension PhotoCheck {
  /// Measures the largest face of a detection with exact landmarks: a pure function. `background` has the measurements of
  /// the background; nil if there are none.
  init(passport detection: Detection, background: BackgroundMeasure? = nil) {
    let (width, height) = (Double(detection.size.width), Double(detection.size.height))
    let face = FaceSelection.largest.groups(of: detection.faces).first.map { detection.faces[$0[0]] }
    let head = face?.head
    let eyes = face?.landmarks.map { ($0.rightEye, $0.leftEye) }
    func finding(_ rule: Rule, _ value: Double?) -> Finding { Finding(rule: rule, value: value) }
    findings = [
      finding(.faces, Double(detection.faces.count)),
      finding(.shape, width / height),
      finding(.headHeight, head.map { $0.chin.place - $0.skull.place }),
      finding(.wholeHead, head.map { min($0.crown.place, $0.left.place, 1 - $0.right.place, 1 - $0.chin.place) }),
      finding(.eyeLine, eyes.map { 1 - ($0.0.y + $0.1.y) / 2 }),
      finding(.center, eyes.map { ($0.0.x + $0.1.x) / 2 }),
      finding(.tilt, face?.lean(in: detection.size)),
      finding(
        .eyeDistance,
        eyes.map { right, left in
          let (across, down) = ((left.x - right.x) * width, (left.y - right.y) * height)
          return (across * across + down * down).squareRoot()
        }),
      finding(.sharpness, face?.sharpness),
      finding(.backgroundLightness, background?.lightness),
      finding(.backgroundDifference, background?.difference),
      finding(.backgroundShadow, background?.shadow),
    ]
    warnings = detection.warnings
  }
}

extension PhotoCheck.Rule {
  private static let placement = PhotoStandard.passport.placement

  fileprivate static let faces = Self(
    name: "faces", subject: "faces in the picture", unit: .count, least: 1, most: 1, source: "ICAO Doc 9303-3")
  /// The ratio 35 : 45, with half a millimeter of tolerance for cutting.
  fileprivate static let shape = Self(
    name: "shape", subject: "width to height", unit: .ratio, least: 0.76, most: 0.796,
    source: "35 x 45 mm, ICAO Doc 9303-3")
  fileprivate static let headHeight = Self(
    name: "head-height", subject: "head from chin to skull, of the height", unit: .part,
    least: placement.headHeight.lowerBound, most: placement.headHeight.upperBound, source: "ICAO Doc 9303-3")
  fileprivate static let wholeHead = Self(
    name: "whole-head", subject: "room around head and hair", unit: .part, least: placement.room, most: nil,
    source: "ICAO Doc 9303-3")
  fileprivate static let eyeLine = Self(
    name: "eye-line", subject: "eyes above the lower edge, of the height", unit: .part,
    least: placement.eyeLine.lowerBound, most: placement.eyeLine.upperBound, source: "ISO/IEC 19794-5:2011, 8.3")
  fileprivate static let center = Self(
    name: "center", subject: "middle of the eyes from the left, of the width", unit: .part,
    least: placement.center.lowerBound, most: placement.center.upperBound, source: "ISO/IEC 19794-5:2011, 8.3")
  fileprivate static let tilt = Self(
    name: "tilt", subject: "tilt by the eyes", unit: .degrees, least: -8, most: 8,
    source: "ISO/IEC 19794-5:2011, 7.2.2")
  fileprivate static let eyeDistance = Self(
    name: "eye-distance", subject: "from eye to eye", unit: .pixels, least: 90, most: nil,
    source: "ISO/IEC 19794-5:2011, 8.4")
  fileprivate static let sharpness = Self(
    name: "sharpness", subject: "sharpness of the face", unit: .score, least: 0.3, most: nil,
    source: "facecrop: of its own")
  // The standards ask for a plain, light background without shadows, and give no numbers.
  fileprivate static let backgroundLightness = Self(
    name: "background-light", subject: "lightness of the background", unit: .part, least: 0.7, most: nil,
    source: "ICAO Doc 9303-3", mayBeUnknown: true)
  fileprivate static let backgroundDifference = Self(
    name: "background-uniform", subject: "color difference in the background", unit: .part, least: nil, most: 0.06,
    source: "ISO/IEC 19794-5:2011, 7.2", mayBeUnknown: true)
  fileprivate static let backgroundShadow = Self(
    name: "background-shadow", subject: "shadow on the background", unit: .part, least: nil, most: 0.05,
    source: "ISO/IEC 19794-5:2011, 7.2", mayBeUnknown: true)
}
