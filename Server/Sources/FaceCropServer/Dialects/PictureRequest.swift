import FaceCrop

/// What is wanted of a picture, in whichever dialect it was said. Equal ones have equal answers.
struct PictureRequest: Hashable, Sendable {
  /// Which part of it.
  enum Part: Hashable, Sendable {
    /// All of it, as large as fits into the size; `covers`: as covers it; `turns`: the size is turned to lie or stand as the picture does.
    case whole(covers: Bool, turns: Bool = false)
    /// As much of it as has the size's shape, where the faces are.
    case smart
    /// The same at a place: 0 is left or top, 0.5 the middle, 1 right or bottom.
    case aligned(horizontal: Double, vertical: Double)
    /// Around faces, as a crop has it.
    case faces(CropRequest)
  }

  /// A rectangle in the picture as it is displayed, in pixels; what of it is outside does not count.
  struct Corners: Hashable, Sendable {
    var left: Int
    var top: Int
    var right: Int
    var bottom: Int
  }

  enum Format: Hashable, Sendable {
    /// The best that the client takes.
    case accepted
    /// The source's own, if it is written, else JPEG.
    case own
    case named(ImageFormat)
  }

  var source: String
  /// What counts as the picture; nil for all of it.
  var corners: Corners?
  var part: Part
  /// Pixels; nil follows from the other side and the shape.
  var width: Int?
  var height: Int?
  var enlarges = false
  var format = Format.own
  var quality: Int?
  /// The answer is what was found and decided, as JSON.
  var isMeta = false
}

/// What a URL asks for, and by whose right.
struct SignedRequest: Sendable {
  var picture: PictureRequest
  /// The key that signed it; nil where none is needed.
  var signer: Signature.Signer?
  /// When the URL expires, in seconds since 1970; nil for never.
  var end: Int?
}

/// The reason why a URL is refused, as a clause for its author.
struct DialectFault: Error, Equatable {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}
