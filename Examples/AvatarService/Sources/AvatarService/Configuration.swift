import FaceCrop

/// What the service may spend, on all requests together and on each.
struct Configuration: Sendable {
  // All requests together.
  /// Pictures decoded at once.
  var concurrency = ImageManager.Configuration().maximumConcurrentDecodes
  /// Requests that may wait for that; nil for 16 for each of those decodes.
  var waiting: Int?
  /// Bytes that the pictures decoded at once may take, by their headers.
  var memory = 512 << 20
  /// Bytes of all bodies that are being received, wait or are decoded.
  var bodyMemory = 128 << 20
  var connections = 1024

  // Each.
  /// Bytes of a body.
  var bodyLimit = 20 << 20
  /// Pixels of a picture, width × height.
  var pixels = 50_000_000
  /// The sides that an answer may have, in pixels.
  static let sizes = 16...1024
  /// How long an answer may take from the last byte of the body on; a request may ask for less.
  var deadline = Duration.seconds(10)
  /// How long a body may take from its first byte to its last.
  var bodyTimeout = Duration.seconds(30)
  /// How long a client may take between two pieces of a request, for a whole header, and between two requests.
  var idleTimeout = Duration.seconds(10)
  /// How long a client may take to receive an answer.
  var answerTimeout = Duration.seconds(30)

  var mostWaiting: Int { waiting ?? 16 * concurrency }

  var imageManager: ImageManager.Configuration {
    var configuration = ImageManager.Configuration()
    configuration.maximumConcurrentDecodes = concurrency
    configuration.maximumWaitingRequests = mostWaiting
    configuration.memoryBudget = memory
    configuration.deadline = deadline
    configuration.limits.fileBytes = bodyLimit
    configuration.limits.pixels = pixels
    configuration.limits.time = deadline
    return configuration
  }
}
