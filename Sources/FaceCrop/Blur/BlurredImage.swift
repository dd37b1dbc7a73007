/// An image with hidden faces.
public struct BlurredImage: Hashable, Sendable {
  /// The file.
  public var bytes: [UInt8]
  /// The format of the file.
  public var format: ImageFormat
  /// The size as displayed, in pixels.
  public var size: PixelSize
  /// The faces, and the hidden areas as crops. Each area fills the frame of its crop, or else the region.
  public var plan: CropPlan
  /// Whether only the blocks of a JPEG with hidden samples were encoded again. If not, the whole image was.
  public var keepsBlocks: Bool
  /// The problems that did not prevent the work, in a fixed order.
  public var warnings: [CropWarning]
  /// The reason why faces stay visible that the request or the plan should hide; nil if none do.
  public var shortfall: BlurShortfall?
  /// The method of the detection pass; nil if a plan was given.
  public var detectionPath: DecodePath?
  /// The method that read the image.
  public var path: DecodePath
}

extension BlurredImage {
  /// The numbers of hidden faces with low scores, which may show no face.
  public var doubtfulFaces: [Int] { plan.doubtfulFaces }

  /// The file as that of a crop of the whole image.
  package var file: EncodedCrop {
    EncodedCrop(
      bytes: bytes, format: format, size: size, region: PixelRect(whole: size, scale: 8),
      faces: plan.crops.flatMap(\.faces), crop: 0, path: path)
  }
}

/// The reason why faces stay visible although a request asks to hide them. Numbers without a face have a warning of
/// their own, ``CropWarning/missingFaces(_:)``.
public enum BlurShortfall: Hashable, Sendable {
  /// No face was found.
  case noFace
  /// No face has one of the named numbers.
  case noNumber
  /// The faces with these numbers were named, and are lower than ``BlurRequest/smallestFace``.
  case smaller([Int])
  /// All faces are lower than ``BlurRequest/smallestFace``, or excepted.
  case allSmaller
  /// All faces are excepted.
  case allExcepted
  /// The given plan has no crops.
  case emptyPlan

  /// An identifier that is stable across versions: `no-face` or `not-hidden`.
  public var kind: String { self == .noFace ? FaceCropError.noFace.kind : Self.standardKind }

  /// The identifier of all reasons but ``noFace``.
  package static let standardKind = "not-hidden"
}

extension BlurShortfall: CustomStringConvertible {
  /// A clause in English that can follow a file name and a colon.
  public var description: String {
    switch self {
    case .noFace: "no face was found; nothing was hidden"
    case .noNumber: "no face has these numbers; nothing was hidden"
    case .smaller(let numbers) where numbers.count == 1:
      "face \(numbers[0]) is lower than the minimum height and was not hidden"
    case .smaller(let numbers):
      "faces \(numbers.map(String.init).joined(separator: ", ")) are lower than the minimum height and were not hidden"
    case .allSmaller: "no face to hide has the minimum height; nothing was hidden"
    case .allExcepted: "all faces are excepted; nothing was hidden"
    case .emptyPlan: "the plan has no crops; nothing was hidden"
    }
  }
}

extension BlurRequest {
  /// Returns why faces stay visible; nil if none do. `isGiven` says that the caller has made the plan.
  package func shortfall(of plan: CropPlan, isGiven: Bool) -> BlurShortfall? {
    if isGiven { return plan.crops.isEmpty ? .emptyPlan : nil }
    guard !plan.faces.isEmpty else { return .noFace }
    if case .only(let numbers) = faces, people == nil {
      let hidden = Set(plan.crops.flatMap(\.faces))
      let small = numbers.filter { $0 <= plan.faces.count && !hidden.contains($0 - 1) }.sorted()
      return !small.isEmpty ? .smaller(small) : plan.crops.isEmpty ? .noNumber : nil
    }
    guard plan.crops.isEmpty else { return nil }
    return smallestFace == nil ? .allExcepted : .allSmaller
  }
}
