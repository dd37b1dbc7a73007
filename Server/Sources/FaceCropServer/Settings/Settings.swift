import FaceCrop
import Logging

/// All that an operator decides, with what holds where nothing is said.
struct Settings: Sendable {
  var host = "127.0.0.1"
  var port = 8080
  var logLevel = Logger.Level.info
  var logFormat = LogFormat.text
  var traceEndpoint = ""
  var tracePercent = 100

  // Where pictures come from.
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

  // Who may ask, and for what.
  /// All of them are taken, so that one can follow another.
  var thumborKeys: [String] = []
  var signingKeys: [String] = []
  var unsafe = false
  var largestSide = 4_096
  var rate = 0
  var burst = 50
  var trustForwardedFor = false
  var keyRate = 0
  var keyBurst = 500

  // What is kept.
  var maxAge = 86_400
  var cacheFolder = ""
  var cacheSize = 1 << 30
  var cacheMemory = 8 << 20
  var remoteFreshness = Duration.seconds(3_600)

  // What all requests together may take.
  /// Pictures decoded at once.
  var concurrency = ImageManager.Configuration().maximumConcurrentDecodes
  /// Requests that may wait for that; nil for 16 for each of those decodes.
  var waiting: Int?
  /// Bytes that the pictures decoded at once may take, by their headers.
  var memory = 512 << 20
  /// Bytes of all pictures' files that are being received, wait or are decoded.
  var bodyMemory = 128 << 20
  var connections = 1_024
  /// Connections of one address; 0 is no limit.
  var clientConnections = 0

  // What each may.
  /// Bytes of a picture's file.
  var bodyLimit = 20 << 20
  /// Pixels of a picture, width × height.
  var pixels = 50_000_000
  /// How long an answer may take from the file's last byte on.
  var deadline = Duration.seconds(10)
  /// How long a body may take from its first byte to its last.
  var bodyTimeout = Duration.seconds(30)
  /// How long a client may take between two pieces of a request, for a whole header, and between two requests.
  var idleTimeout = Duration.seconds(10)
  /// How long a client may take to receive an answer.
  var answerTimeout = Duration.seconds(30)
  /// How long clients have to leave before the server ends.
  var drainTime = Duration.seconds(5)

  /// The names of the settings that somebody set.
  var given: Set<String> = []

  /// A page of 40 avatars that nobody has asked for before is answered by one processor, too.
  var mostWaiting: Int { waiting ?? max(16 * concurrency, 64) }

  var imageManager: ImageManager.Configuration {
    var configuration = ImageManager.Configuration()
    configuration.maximumConcurrentDecodes = concurrency
    configuration.maximumWaitingRequests = mostWaiting
    configuration.memoryBudget = memory
    configuration.deadline = deadline
    configuration.limits = limits
    return configuration
  }

  /// What one picture may cost.
  var limits: Limits {
    var limits = Limits()
    limits.fileBytes = bodyLimit
    limits.pixels = pixels
    limits.time = deadline
    return limits
  }
}
