import Foundation

/// Images of an S3 store, fetched by signed requests: `s3://bucket/key`.
struct StoreOrigin: Sendable {
  let settings: Settings
  let fetcher: Fetcher

  func find(_ source: String) throws(ServiceError) -> Origins.ResolvedImage {
    let parts = source.dropFirst("s3://".count).split(separator: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2, settings.s3Buckets.contains(parts[0]) else {
      throw .forbidden("this server reads no images from that bucket (see the setting s3-buckets)")
    }
    // A store's keys may contain any character, so characters with a meaning in paths are escaped.
    let endpoint = settings.s3Endpoint.hasSuffix("/") ? settings.s3Endpoint : settings.s3Endpoint + "/"
    guard let url = URL(string: "\(endpoint)\(parts[0])/\(PercentCoding.encoded(parts[1], keeping: "/"))"),
      !parts[1].split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0 == "." || $0 == ".." })
    else { throw .invalidQuery("the image's key is invalid") }
    let signer = SignatureV4(
      accessKey: settings.s3AccessKey, secretKey: settings.s3SecretKey, region: settings.s3Region, service: "s3")
    return Origins.ResolvedImage(version: source, isCertain: false) {
      [fetcher] (lease) async throws(ServiceError) in
      // The operator chose the store, so its address may be private. It must not redirect.
      try await fetcher.bytes(
        of: url, allowsPrivate: true, isAllowed: { _ in false }, headers: signer.headers(forGetting: url), lease)
    }
  }
}
