/// A named choice of faces, composition, and output.
///
/// The command, the server, and the Python and Spark packages use the same presets. Only the command has an option of
/// its own for ``fill``, `--fill`. Each preset also takes options, which replace single properties.
///
/// ```swift
/// let result = try await cropper.crop(.file("me.jpg"), request: Preset.avatar.request)
/// ```
public enum Preset: Hashable, Sendable {
  /// All heads, and no more. Without a face, the whole image.
  case crop
  /// Everyone from head to feet, in the image's shape. Without a face, the whole image.
  case group
  /// The largest region with a shape, around the people. Without a face, the center of the image.
  case fill
  /// One head and part of the shoulders; see ``Framing/avatar``. Without a face, the head of a person.
  case avatar
  /// One person's head and shoulders; see ``Framing/portrait``. Without a face, the head of a person.
  case portrait
  /// One face with a small margin; see ``Framing/tight``. Without a face, the head of a person.
  case tight
  /// A photo for a document, in the size that its authority states. Without a face, the head of a person.
  case document(PhotoStandard)
  /// The largest region in a platform's shape, in its size, like ``fill``.
  case social(SocialFormat)
}

extension Preset: CaseIterable {
  /// All presets: general ones, documents, platforms.
  public static let allCases: [Preset] =
    [.crop, .group, .avatar, .portrait, .document(.passport), .tight, .fill]
    + PhotoStandard.allCases.filter { $0 != .passport }.map { .document($0) }
    + SocialFormat.allCases.map { .social($0) }

  /// The name in options and URLs, for example `avatar` or `passport:us`.
  public var name: String {
    switch self {
    case .crop: "crop"
    case .group: "group"
    case .fill: "fill"
    case .avatar: "avatar"
    case .portrait: "portrait"
    case .tight: "tight"
    case .document(let standard): standard.rawValue
    case .social(let format): format.rawValue
    }
  }

  /// Creates the preset with a name; nil for other names.
  public init?(name: String) {
    guard let preset = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = preset
  }
}

extension Preset {
  /// The placement of the head; nil for a preset that does not place one.
  public var framing: Framing? {
    switch self {
    case .crop, .group, .fill, .social: nil
    case .avatar: .avatar
    case .portrait: .portrait
    case .tight: .tight
    case .document(let standard): standard.framing
    }
  }

  /// The rules that outputs must keep; nil for none.
  public var standard: PhotoStandard? {
    if case .document(let standard) = self { standard } else { nil }
  }

  /// The platform's format; nil for none.
  public var social: SocialFormat? {
    if case .social(let format) = self { format } else { nil }
  }

  /// The faces, and the fallback without one.
  public var search: FaceSearch {
    switch self {
    case .crop, .group: FaceSearch(faces: .union, noFace: .whole)
    // The whole image would not have the shape.
    case .fill, .social: FaceSearch(faces: .union, noFace: .center)
    case .avatar, .portrait, .tight, .document: FaceSearch(faces: .prominent, noFace: .person)
    }
  }

  /// The region around the faces.
  public var composition: Composition {
    switch self {
    case .fill: Composition(.fill())
    case .social(let format): format.composition
    case .group: Composition(.bodies())
    case .crop, .avatar, .portrait, .tight, .document: Composition(framing.map { .framing($0) } ?? .heads())
    }
  }

  /// Returns the output: a document's or a platform's size, or else the region's own.
  ///
  /// - Parameter pixelsPerInch: The resolution of a document that has a size on paper. Default 300.
  public func output(pixelsPerInch: Double = 300) -> CropOutput {
    var output = CropOutput()
    if let document = standard?.document {
      let size = document.pixels(perInch: pixelsPerInch)
      output.sizes = [.exact(width: size.width, height: size.height)]
      (output.resolution, output.keepsPrintedSize) = document.width == nil ? (nil, false) : (pixelsPerInch, true)
    } else if let social {
      output.sizes = [.filling(social.aspect, longSide: social.size.longSide)]
    }
    return output
  }

  /// The whole request, in the usual output.
  public var request: CropRequest { CropRequest(search: search, composition: composition, output: output()) }
}
