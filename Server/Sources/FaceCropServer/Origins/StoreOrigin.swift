import Foundation

/// Images of an S3 store, fetched by signed requests: `s3://bucket/key`.
struct StoreOrigin: Sendable {
  private let endpoint: String
  private let buckets: [String]
  private let signer: SignatureV4
  private let fetcher: Fetcher

  init(_ settings: Settings, fetcher: Fetcher) {
    endpoint = settings.s3Endpoint.hasSuffix("/") ? String(settings.s3Endpoint.dropLast()) : settings.s3Endpoint
    buckets = settings.s3Buckets
    signer = SignatureV4(
      accessKey: settings.s3AccessKey, secretKey: settings.s3SecretKey, region: settings.s3Region, service: "s3")
    self.fetcher = fetcher
  }

  func find(_ source: String) throws(ServiceError) -> Origins.ResolvedImage {
    let parts = source.dropFirst("s3://".count).split(separator: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2, buckets.contains(parts[0]) else {
      throw .forbidden("this server reads no images from that bucket (see the setting s3-buckets)")
    }
    // A store's keys may contain any character, so characters with a meaning in paths are escaped.
    guard let url = URL(string: "\(endpoint)/\(parts[0])/\(PercentCoding.encoded(parts[1], keeping: "/"))"),
      !parts[1].split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0 == "." || $0 == ".." })
    else { throw .invalidQuery("the image's key is invalid") }
    return Origins.ResolvedImage(version: source, isCertain: false) {
      [signer, fetcher] (lease) async throws(ServiceError) in
      // The operator chose the store, so its address may be private. It must not redirect.
      try await fetcher.bytes(
        of: url, allowsPrivate: true, isAllowed: { _ in false }, headers: signer.headers(forGetting: url), lease)
    }
  }
}
