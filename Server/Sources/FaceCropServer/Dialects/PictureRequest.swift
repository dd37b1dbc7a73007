import FaceCrop

/// What is wanted of a picture, in whichever dialect it was said. Equal ones have equal answers.
struct PictureRequest: Hashable, Sendable {
  /// Which part of it.
  enum Part: Hashable, Sendable {
    /// All of it, as large as fits into the size; `covers`: as covers it.
    case whole(covers: Bool)
    /// As much of it as has the size's shape, where the faces are.
    case smart
    /// The same at a place: 0 is left or top, 0.5 the middle, 1 right or bottom.
    case aligned(horizontal: Double, vertical: Double)
    /// Around faces, as a crop has it.
    case faces(CropRequest)
  }

  enum Format: Hashable, Sendable {
    /// The best that the client takes.
    case accepted
    /// The source's own, if it is written, else JPEG.
    case own
    case named(ImageFormat)
  }

  var source: String
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

/// Why a URL is no request: a sentence for whoever wrote it.
struct DialectFault: Error, Equatable {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}
