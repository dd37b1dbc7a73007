extension Setting {
  /// All settings, in the order of the help.
  static let all: [Setting] = groups.flatMap(\.value)

  /// The least budget for decoding, in bytes. An icon of 128 × 128 pixels fits in it; an ordinary photo needs 22 MiB.
  private static let leastMemory = 16 << 20

  /// The settings by the titles under which the help shows them.
  static let groups: KeyValuePairs<String, [Setting]> = [
    "Address and logs": [
      .text("host", \.host, "Listen on this address."),
      .number("port", \.port, 0...65_535, "Listen on this port; 0 takes any free port."),
      .choice("log-level", \.logLevel, "Set the level"),
      .choice("log-format", \.logFormat, "Set the format; json has one object per line"),
    ],
    "Tracing": [
      .text("trace-endpoint", \.traceEndpoint, "Send OpenTelemetry traces to http://collector:4318."),
      .number("trace-percent", \.tracePercent, 0...100, "Trace this percentage of requests outside any trace."),
    ],
    "Image sources": [
      .text("folder", \.folder, "Serve images from this folder, by their paths below it."),
      .list("hosts", \.hosts, "Fetch images from these hosts; *.example.com allows all subdomains."),
      .flag("allow-private-addresses", \.allowPrivateAddresses, "Allow hosts in private networks."),
      .seconds("fetch-timeout", \.fetchTimeout, "Stop fetching an image after this many seconds."),
      .text("s3-endpoint", \.s3Endpoint, "Read images from an S3 store: https://s3.example.com."),
      .text("s3-region", \.s3Region, "Set the region of the S3 store."),
      .list("s3-buckets", \.s3Buckets, "Read images from these buckets, by URLs like s3://bucket/key."),
      .text("s3-access-key", \.s3AccessKey, "Set the access key of the S3 store."),
      .text("s3-secret-key", \.s3SecretKey, "Set the secret key of the S3 store.", isSecret: true),
      .flag("uploads", \.uploads, "Accept images in the body of POST and PUT requests."),
    ],
    "Signed URLs": [
      .list("thumbor-key", \.thumborKeys, "Verify thumbor signatures (HMAC-SHA1) with these keys.", isSecret: true),
      .list("imgproxy-key", \.imgproxyKeys, "Verify imgproxy signatures with these keys: KEY:SALT.", isSecret: true),
      .list(
        "signing-key", \.signingKeys, "Verify signatures of own URLs (HMAC-SHA256) with these keys.",
        isSecret: true),
      .flag("unsafe", \.unsafe, "Accept URLs without a signature."),
    ],
    "Playground and review": [
      .flag("playground", \.playground, "Serve a page that tries presets and options, at /."),
      .text(
        "playground-token", \.playgroundToken,
        "Open these pages with this token instead of a new one at each start.",
        isSecret: true),
      .list("playground-hosts", \.playgroundHosts, "Serve these pages by these host names, too."),
      .text("review", \.review, "Review the batch in this output folder, at /review."),
    ],
    "Rate limits": [
      .number("rate", \.rate, 0...1_000_000, "Limit a client's requests per second; 0 is no limit."),
      .number("burst", \.burst, 1...1_000_000, "Allow a client this many requests before --rate applies."),
      .flag("trust-forwarded-for", \.trustForwardedFor, "Trust the last X-Forwarded-For address, behind a proxy."),
      .number("key-rate", \.keyRate, 0...1_000_000, "Limit the requests per second of one key; 0 is no limit."),
      .number("key-burst", \.keyBurst, 1...1_000_000, "Allow a key this many requests before --key-rate applies."),
    ],
    "Caching": [
      .number("max-age", \.maxAge, 0...31_536_000, "Let clients cache a response for this many seconds."),
      .number(
        "stale-while-revalidate", \.staleWhileRevalidate, 0...31_536_000,
        "Let caches send a stale response for this many seconds while they renew it."),
      .flag("cache-tags", \.cacheTags, "Tag responses, so that a CDN can remove those of one image."),
      .flag("client-hints", \.clientHints, "Multiply sizes by the pixel ratio of the screen."),
      .text("cache-folder", \.cacheFolder, "Cache responses here, across restarts and servers; use an empty folder."),
      .bytes("cache-size", \.cacheSize, from: 0, "Limit the size of the cache folder."),
      .bytes("cache-memory", \.cacheMemory, from: 0, "Limit the memory for cached responses."),
      .seconds("remote-freshness", \.remoteFreshness, "Fetch remote images again after this many seconds."),
    ],
    "Limits": [
      .number("concurrency", \.concurrency, 1...1_024, "Decode this many images at once."),
      .number("waiting", \.waiting, 0...1_000_000, "Let this many requests wait; answer others with status 429."),
      .bytes("memory", \.memory, from: leastMemory, "Limit the memory of all images being decoded."),
      .bytes("body-memory", \.bodyMemory, "Limit the memory of all image files and large responses being held."),
      .number("connections", \.connections, 1...1_000_000, "Limit the open connections."),
      .number(
        "client-connections", \.clientConnections, 0...1_000_000,
        "Limit the connections of one address that have a request; 0 is no limit."),
      .bytes("max-body", \.bodyLimit, "Limit the size of an image file."),
      .pixels("max-pixels", \.pixels, megapixels: 1_000, "Limit the pixels of an image."),
      .number("largest-side", \.largestSide, 16...16_384, "Limit the longer side of a response, in pixels."),
    ],
    "Timeouts": [
      .seconds("deadline", \.deadline, "Limit the seconds from the complete file to the response."),
      .seconds("body-timeout", \.bodyTimeout, "Limit the seconds for receiving a body."),
      .seconds("idle-timeout", \.idleTimeout, "Limit the seconds for a header, and between body parts."),
      .bytes("least-rate", \.leastRate, from: 0, "Limit the pace of bodies and large responses, per second."),
      .seconds("answer-timeout", \.answerTimeout, "Limit the seconds that a client takes to receive a response."),
      .seconds("drain-time", \.drainTime, "Give clients this many seconds to leave before the server ends."),
    ],
  ]
}
