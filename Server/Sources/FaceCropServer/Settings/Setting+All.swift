extension Setting {
  /// All there are, in the order in which they are shown.
  static let all: [Setting] = [
    .text("host", \.host, "The address to listen on."),
    .number("port", \.port, 0...65_535, "The port to listen on; 0 takes any that is free."),
    .choice("log-level", \.logLevel, "trace, debug, info, warning or error."),
    .choice("log-format", \.logFormat, "text, or json: an object a line."),

    .text("trace-endpoint", \.traceEndpoint, "A collector of OpenTelemetry's traces over HTTP: http://collector:4318."),
    .number(
      "trace-percent", \.tracePercent, 0...100, "How many in a hundred requests that are in no trace yet are traced."),

    .text("folder", \.folder, "A folder that pictures are taken from, by their paths below it."),
    .list(
      "hosts", \.hosts, "Hosts that pictures are fetched from: cdn.example.com, or *.example.com for all below it."),
    .flag("allow-private-addresses", \.allowPrivateAddresses, "Whether those hosts may be in private networks."),
    .seconds("fetch-timeout", \.fetchTimeout, "Seconds for fetching a picture."),
    .text("s3-endpoint", \.s3Endpoint, "A store that speaks S3: https://s3.example.com."),
    .text("s3-region", \.s3Region, "Its region."),
    .list("s3-buckets", \.s3Buckets, "The buckets that pictures are taken from, as s3://bucket/key."),
    .text("s3-access-key", \.s3AccessKey, "The store's access key."),
    .text("s3-secret-key", \.s3SecretKey, "The store's secret key.", isSecret: true),
    .flag("uploads", \.uploads, "Whether a picture may be the body of a POST or PUT."),

    .list(
      "thumbor-key", \.thumborKeys, "Signs URLs as thumbor does (HMAC-SHA1); several by commas are all taken.",
      isSecret: true),
    .list(
      "signing-key", \.signingKeys, "Signs URLs of the server's own (HMAC-SHA256); several by commas are all taken.",
      isSecret: true),
    .flag("unsafe", \.unsafe, "Whether URLs need no signature."),
    .number("largest-side", \.largestSide, 16...16_384, "The most pixels of an answer's longer side."),
    .number("rate", \.rate, 0...1_000_000, "Requests a second of one client; 0 for any number."),
    .number("burst", \.burst, 1...1_000_000, "Requests that a client may make at once before that counts."),
    .flag(
      "trust-forwarded-for", \.trustForwardedFor,
      "Whether a client is the last address of X-Forwarded-For: behind a proxy of your own."),
    .number(
      "key-rate", \.keyRate, 0...1_000_000, "Requests a second of all URLs that one key has signed; 0 for any number."),
    .number("key-burst", \.keyBurst, 1...1_000_000, "Requests with that key at once before that counts."),

    .number("max-age", \.maxAge, 0...31_536_000, "Seconds that a client may keep an answer."),
    .text(
      "cache-folder", \.cacheFolder,
      "Keeps answers over restarts, for all servers that share it; a folder for it alone."),
    .bytes("cache-size", \.cacheSize, from: 0, "The most that folder may take."),
    .bytes("cache-memory", \.cacheMemory, from: 0, "Answers kept in memory."),
    .seconds("remote-freshness", \.remoteFreshness, "Seconds after which a host's picture is fetched again."),

    .number("concurrency", \.concurrency, 1...1_024, "Pictures decoded at once."),
    .number("waiting", \.waiting, 0...1_000_000, "Requests that wait for that; one more is answered 429."),
    .bytes("memory", \.memory, "What the pictures decoded at once may take."),
    .bytes("body-memory", \.bodyMemory, "Files held at once."),
    .number("connections", \.connections, 1...1_000_000, "Connections at once."),
    .bytes("max-body", \.bodyLimit, "One picture's file."),
    .number("max-pixels", \.pixels, 1...1_000_000_000, "One picture's pixels."),
    .seconds("deadline", \.deadline, "Seconds for an answer, once the file is there."),
    .seconds("body-timeout", \.bodyTimeout, "Seconds for one body."),
    .seconds("idle-timeout", \.idleTimeout, "Seconds for one header, and between two pieces of a body."),
    .seconds("answer-timeout", \.answerTimeout, "Seconds in which a client has to take an answer."),
  ]
}
