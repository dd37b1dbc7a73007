import FaceCrop
import Logging

/// All settings of an operator, with their defaults. ``Setting/groups`` has their names, units, ranges and effects.
struct Settings: Sendable {
  var host = "127.0.0.1"
  var port = 8080
  var logLevel = Logger.Level.info
  var logFormat = LogFormat.text
  var traceEndpoint = ""
  var tracePercent = 100

  // Sources of images.
  var folder = ""
  var hosts: [String] = []
  var allowPrivateAddresses = false
  var fetchTimeout = Duration.seconds(10)
  var s3Endpoint = ""
  var s3Region = "us-east-1"
  var s3Buckets: [String] = []
  var s3AccessKey = ""
  var s3SecretKey = ""
  var uploads = true

  // Access.
  /// Keys that are all accepted, so that a new one can replace an old one.
  var thumborKeys: [String] = []
  var imgproxyKeys: [String] = []
  var signingKeys: [String] = []
  var unsafe = false
  var largestSide = 4_096
  var rate = 0
  var burst = 50
  var trustForwardedFor = false
  var keyRate = 0
  var keyBurst = 500

  // The playground and the review.
  var playground = false
  var playgroundToken = ""
  var playgroundHosts: [String] = []
  var review = ""

  // Caching.
  var maxAge = 86_400
  var staleWhileRevalidate = 0
  var cacheTags = false
  var clientHints = false
  var cacheFolder = ""
  var cacheSize = 1 << 30
  var cacheMemory = 8 << 20
  var remoteFreshness = Duration.seconds(3_600)

  // Budgets of all requests together.
  var concurrency = ImageManager.Configuration().maximumConcurrentDecodes
  /// Requests that may wait for a decode; nil for 16 for each concurrent decode.
  var waiting: Int?
  /// Upper bound of the memory of all images decoded at once, in bytes, estimated from their headers.
  var memory = 512 << 20
  var bodyMemory = 128 << 20
  var connections = 1_024
  /// Upper bound of the busy connections of one address; 0 for no limit, and nil for a quarter of all.
  var clientConnections: Int?
  var leastRate = 1 << 10

  // Limits of each request.
  var bodyLimit = 20 << 20
  var pixels = 50_000_000
  var deadline = Duration.seconds(10)
  var bodyTimeout = Duration.seconds(30)
  /// Upper bound for a whole header, and between two pieces of a request or two requests.
  var idleTimeout = Duration.seconds(10)
  var answerTimeout = Duration.seconds(30)
  var drainTime = Duration.seconds(5)

  /// The places where settings were set, by their names: "server.yaml: line 3: port", "FACECROP_PORT", "--port".
  var given: [String: String] = [:]
  /// The places whose other values were overridden, by the names of the settings.
  var overridden: [String: String] = [:]
  /// Variables of the environment that look like settings and are none, in order.
  var unknownVariables: [String] = []

  /// Returns the place of a setting for a message, or its name if it was not set.
  func place(_ name: String) -> String { given[name] ?? name }

  /// The number of requests that may wait; by default at least 64, enough for a page of 40 new avatars.
  var mostWaiting: Int { waiting ?? max(16 * concurrency, 64) }

  /// The busy connections that one address may have; 0 for no limit. A proxy has those of all its clients.
  var mostOfClient: Int { clientConnections ?? (trustForwardedFor ? 0 : max(connections / 4, 16)) }

  var imageManager: ImageManager.Configuration {
    var configuration = ImageManager.Configuration()
    configuration.maximumConcurrentDecodes = concurrency
    configuration.maximumWaitingRequests = mostWaiting
    configuration.memoryBudget = memory
    configuration.deadline = deadline
    configuration.limits = limits
    return configuration
  }

  /// The pixels of all frames of an animation for each pixel of an image, as for the command.
  private static let animationFactor = 10

  var limits: Limits {
    var limits = Limits()
    limits.fileBytes = bodyLimit
    limits.pixels = pixels
    limits.animationPixels = Self.animationFactor * pixels
    limits.time = deadline
    return limits
  }
}
