import FaceCrop
import Hummingbird

/// The optional parameters of `POST /avatar`: `size` in pixels, `format`, `shape`, and `deadline` in milliseconds.
struct AvatarQuery: Sendable {
  var size = 256
  var format = Format.jpeg
  var shape = CropShape.rectangle
  var deadline: Duration
  /// The allowed sides of a response, in pixels.
  static let sizes = 16...1_024

  enum Format: String {
    case jpeg, png, webp

    var output: OutputFormat {
      switch self {
      case .jpeg: OutputFormat(.jpeg)
      case .png: OutputFormat(.png)
      case .webp: OutputFormat(.webp)
      }
    }
  }

  init(_ request: Request, _ configuration: Settings) throws(ServiceError) {
    deadline = configuration.deadline
    for (name, value) in request.uri.queryParameters {
      switch name {
      case "size":
        guard let size = Int(value), Self.sizes.contains(size) else {
          let sizes = Self.sizes
          throw .invalidQuery("size must be a number from \(sizes.lowerBound) to \(sizes.upperBound), not '\(value)'")
        }
        self.size = size
      case "format":
        guard let format = Format(rawValue: String(value)) else {
          throw .invalidQuery("format must be jpeg, png or webp, not '\(value)'")
        }
        self.format = format
      case "shape":
        switch value {
        case "square": shape = .rectangle
        case "circle": shape = .circle
        default: throw .invalidQuery("shape must be square or circle, not '\(value)'")
        }
      case "deadline":
        guard let milliseconds = Int(value), milliseconds > 0 else {
          throw .invalidQuery("deadline must be a number of milliseconds, not '\(value)'")
        }
        deadline = min(.milliseconds(milliseconds), configuration.deadline)
      default: throw .invalidQuery("the query has the unknown name '\(name)' (use size, format, shape or deadline)")
      }
    }
    guard shape != .circle || format != .jpeg else {
      throw .invalidQuery("a circle needs transparency, which JPEG lacks (add format=png or format=webp)")
    }
  }

  var imageOptions: ImageRequestOptions {
    var options = ImageRequestOptions()
    var crop = Preset.avatar.request
    (crop.search.noFace, crop.output.shape) = (.fail, shape)
    options.crop = .faces(crop)
    options.deliveryMode = .highQuality
    options.encoding = ImageEncoding(format.output)
    options.deadline = deadline
    return options
  }
}
