import FaceCrop
import Foundation

extension Answer {
  /// Creates JSON with the image's size and format, the region in fractions of it, the response's size, the faces, and
  /// which of them the crop is for. `misses` are clauses about broken rules. Without warnings their list is empty, so
  /// that programs can read it without asking whether it exists.
  init(meta response: ImageResponse, of part: PictureRequest.Part, misses: [String]) throws(ServiceError) {
    // The size of `fit-in` is an upper bound.
    let isBound = if case .whole = part { true } else { false }
    var warnings = response.warnings.filter { !isBound || $0.kind != "smaller" }.map(\.served)
    var (rotation, chosen, padded, origin): (Int?, [Int]?, Double?, HeadOrigin?)
    if case .faces(let request) = part {
      let plan = response.plan
      if request.search.upright == .auto { rotation = plan.rotation.rawValue }
      (chosen, origin) = (plan.crops.flatMap(\.faces), plan.origin)
      padded = plan.paddedShares.first { $0 > 0 }
      // The warnings already mention a possible face.
      if chosen == [], plan.possibleFace == nil {
        let used = request.search.noFace.fallback.map { "; \($0)" } ?? ""
        warnings.append("\(request.search.missingFace(in: plan))\(used)")
      }
    }
    try self.init(json: [
      // The clockwise degrees by which the image was rotated, under `upright=auto`.
      "source": response.sourceSize, "rotation": rotation, "format": response.format.rawValue,
      // The places in `faces` of those that the crop is for.
      "region": response.region, "padded": padded, "size": response.image.size, "faces": response.faces,
      "facesAreComplete": response.plan.facesAreComplete, "chosen": chosen, "origin": origin,
      "warnings": warnings + misses,
    ])
  }

  private init(json value: JSONObject) throws(ServiceError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(value) else {
      throw .image(.image(.invalidRequest("the result cannot be written as JSON")))
    }
    self.init(mediaType: "application/json", bytes: Array(json) + [UInt8(ascii: "\n")])
  }

  // MARK: Hidden faces

  /// Creates JSON with the image's size, the response's format, and all faces with their numbers and whether they are
  /// hidden. Other numbers list the doubtful ones.
  init(meta image: BlurredImage) throws(ServiceError) {
    let hidden = Set(image.plan.crops.flatMap(\.faces))
    try self.init(json: [
      "size": image.size, "format": image.format.rawValue,
      "faces": image.plan.faces.enumerated().map { index, face in
        (["number": index + 1, "hidden": hidden.contains(index)] as JSONObject).with(membersOf: face)
      },
      // The number of hidden faces, and the numbers of those that may be none.
      "hidden": hidden.count, "doubtful": image.doubtfulFaces,
      // Whether a JPEG was encoded again only where faces are hidden.
      "lossless": image.keepsBlocks,
      "warnings": image.warnings.map(\.served) + [image.shortfall?.served].compactMap(\.self),
    ])
  }
}

extension CropWarning {
  /// The warning with the remedies of URLs instead of the command's.
  fileprivate var served: String {
    switch self {
    case .frame(.facesCut): "\(self) (the preset crop shows all of them)"
    case .doubtfulFaces(let numbers) where numbers.count == 1:
      "\(self) (check it, or show it by adding \(numbers[0]) to except)"
    case .doubtfulFaces: "\(self) (check them, or show some with except)"
    case .missingFaces: "\(self) (/meta/blur lists the faces)"
    default: "\(self)"
    }
  }
}

extension BlurShortfall {
  /// The reason with the remedies of URLs.
  fileprivate var served: String {
    switch self {
    case .noFace: "\(self) (look at the image before you publish it)"
    case .noNumber: "\(self) (/meta/blur lists the faces)"
    case .smaller, .allSmaller: "\(self) (lower min-face, or leave it out)"
    case .allExcepted: "\(self) (leave out except to hide them)"
    case .emptyPlan: "\(self)"
    }
  }
}
