// Every number from a caller is checked on entry. NaN does not equal itself, so it could not be in a dictionary's key.

extension CropRequest {
  /// Throws ``FaceCropError/invalidRequest(_:)`` if a number is not finite or out of its range.
  func check() throws(FaceCropError) {
    try search.check()
    try composition.check()
    try output.check()
    guard composition.layout.template == nil || output.sizes.allSatisfy(\.isBound) else { throw FaceTemplate.hasSize }
  }
}

extension FaceTemplate {
  /// The error for a template together with other sizes.
  static let hasSize = FaceCropError.invalidRequest(
    InvalidRequest("a template has its own size", field: "output.sizes", remedy: "leave out the sizes"))
}

extension FaceHeight {
  /// The valid heights in words.
  static let bound = "1 pixel or more, or above 0 and up to 1 of the image's height"
}

extension FaceSearch {
  /// Throws ``FaceCropError/invalidRequest(_:)`` if a number is not finite or out of its range.
  func check() throws(FaceCropError) {
    if case .number(let number) = faces { try Self.check(number) }
    if case .person(let name) = faces {
      let isValid = !name.isEmpty && name.utf8.count <= FaceRegion.longestName
      try InvalidRequest.check(isValid, "search.faces", mustBe: "a name of 1 to \(FaceRegion.longestName) bytes")
    }
    try CropOutput.check(regions.sidecar, "search.regions.sidecar")
    try InvalidRequest.check(
      regions.others.count <= FaceRegion.most && regions.others.allSatisfy { $0.box.isValid },
      "search.regions.others", mustBe: "at most \(FaceRegion.most) faces inside the image")
    try InvalidRequest.check(smallestFace?.isValid != false, "search.smallestFace", mustBe: FaceHeight.bound)
    try InvalidRequest.check(mostFaces ?? 1 >= 1, "search.mostFaces", mustBe: "1 or more")
  }

  /// Throws ``FaceCropError/invalidRequest(_:)`` unless a face can have the number.
  static func check(_ number: Int) throws(FaceCropError) {
    try InvalidRequest.check(number >= 1, "a face's number", mustBe: "1 or more", not: "\(number)")
  }
}

extension Composition {
  /// Throws ``FaceCropError/invalidRequest(_:)`` if a number is not finite or out of its range.
  func check() throws(FaceCropError) {
    let padding = layout.padding
    try InvalidRequest.check(
      [padding.top, padding.right, padding.bottom, padding.left].allSatisfy { $0.isFinite && $0 >= 0 },
      "composition.layout.padding", mustBe: "a finite number of 0 or more on every side")
    try layout.template?.check()
    try InvalidRequest.check(
      layout.aspect?.isValid != false, "composition.layout.aspect",
      mustBe: "two finite numbers above 0, with a finite ratio above 0")
    guard layout.framing?.isValid != false else {
      throw .invalidRequest(
        InvalidRequest(
          "the framing needs a face ratio above 0 and up to 1, a largest face ratio above 0, an eye line of 0 to 1, "
            + "headroom of 0 to below 1, and a largest padded share of 0 to 1", field: "composition.layout.framing"))
    }
  }
}

extension AspectRatio {
  /// Whether both sides and their ratio are finite and above 0.
  var isValid: Bool {
    let ratio = width / height
    return width.isFinite && height.isFinite && width > 0 && height > 0 && ratio.isFinite && ratio > 0
  }
}

extension CropOutput {
  /// The resolutions, in pixels per inch, that a JPEG header can store.
  static let resolutions = 1.0...65_535
  static let badResolution = FaceCropError.invalidRequest(
    InvalidRequest("output.resolution", mustBe: "1 to 65535 pixels per inch"))

  /// Throws ``FaceCropError/invalidRequest(_:)`` if a number is not finite or out of its range.
  func check() throws(FaceCropError) {
    try InvalidRequest.check(
      sizes.allSatisfy(\.isValid), "output.sizes",
      mustBe: "sides of 1 to \(OutputSize.largestSide) pixels, with an aspect that is finite and above 0")
    try InvalidRequest.check(
      smallestSide >= 0, "output.smallestSide", mustBe: "0 pixels or more", not: "\(smallestSide)")
    try Self.check(sidecar, "output.sidecar")
    if case .blur(let strength)? = background?.fill {
      try InvalidRequest.check(
        Background.Fill.strengths.contains(strength), "output.background.fill",
        mustBe: "a blur with a strength of 0.005 to 0.2", not: "\(strength)")
    }
    if let resolution, !Self.resolutions.contains(resolution) { throw Self.badResolution }
  }

  /// Throws ``FaceCropError/invalidRequest(_:)`` if an XMP packet beside the image is too long.
  static func check(_ sidecar: [UInt8]?, _ field: String) throws(FaceCropError) {
    try InvalidRequest.check(
      sidecar?.count ?? 0 <= largestSidecar, field, mustBe: "an XMP packet of at most \(largestSidecar) bytes")
  }
}

extension CropPlan {
  /// A member of a plan that is unusable, and the reason.
  struct ValidationError: Error {
    /// The member's name in JSON.
    var member: CodingKeys
    /// The reason, as an independent clause.
    var clause: String
  }

  static let tooMany = "a plan has at most \(most) faces and \(most) crops"

  /// Throws the reason why the plan fits no image. The check is needed because plans can be untrusted.
  func check() throws(ValidationError) {
    func require(_ condition: Bool, _ member: CodingKeys, _ clause: String) throws(ValidationError) {
      guard condition else { throw ValidationError(member: member, clause: clause) }
    }
    try require(faces.count <= Self.most && crops.count <= Self.most, .crops, Self.tooMany)
    try require(source.width > 0 && source.height > 0, .source, "the source's size must be positive")
    if let index = faces.firstIndex(where: { !$0.isValid }) {
      throw ValidationError(
        member: .faces, clause: "faces[\(index)]\(faces[index].problem)")
    }
    try require(possibleFace?.isValid != false, .faces, "possibleFace lies outside the image")
    try require(
      chosen.map(faces.indices.contains) ?? true, .faces,
      "chosen is \(chosen ?? 0), but the plan has \(faces.count) faces (the first is 0)")
    for (index, crop) in crops.enumerated() {
      guard let problem = crop.problem(faces) else { continue }
      throw ValidationError(member: .crops, clause: "crops[\(index)]\(problem)")
    }
    try checkAgreement()
    let numbers = crops.compactMap(\.number)
    try require(
      numbers.allSatisfy { (1...1_000_000).contains($0) } && Set(numbers).count == numbers.count, .crops,
      "a crop's number is out of range (1 to 1000000), or occurs twice")
  }
}

extension Face {
  /// The part of an invalid face that is wrong, with the remedy, as the rest of a clause.
  fileprivate var problem: String {
    if !box.isValid { return " lies outside the image (x, y, x + width and y + height must be 0 to 1)" }
    if head?.isValid == false {
      return
        ".head is not possible (crown above skull above chin, left before right, confidences 0 to 1), or has an outline of too many points"
    }
    if let sharpness, !(0...1).contains(sharpness) { return ".sharpness must be 0 to 1" }
    return " has a number that is not finite"
  }
}

extension CropPlan.Crop {
  /// Returns what makes the crop unusable for any image, with the remedy, as the rest of a clause; nil for nothing.
  fileprivate func problem(_ faces: [Face]) -> String? {
    if !region.isValid {
      return ".region lies outside the image (x, y, x + width and y + height must be 0 to 1)"
    }
    if !hasUsableFrame {
      return ".frame is too large, or does not hold the region (change frame together with region, or remove frame)"
    }
    if turn?.isUsable == false { return ".turn has a rectangle that is too large, or is rotated by more than 180°" }
    if let template, turn == nil || (try? template.check()) == nil {
      return ".template is too large, or has no rotated rectangle"
    }
    if let missing = self.faces.first(where: { !faces.indices.contains($0) }) {
      return " shows face \(missing), but the plan has \(faces.count) faces (the first is 0)"
    }
    if Set(self.faces).count < self.faces.count { return " names a face twice" }
    if background?.isUsable == false { return ".background has a blur that is out of range" }
    return CutoutStroke.problem(of: strokes ?? [])
  }
}
