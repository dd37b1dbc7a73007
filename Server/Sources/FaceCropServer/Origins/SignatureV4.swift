import Crypto
import Foundation
import NIOHTTP1

/// A signer of requests to a store (Amazon S3 API reference, "Authenticating Requests (AWS Signature Version 4)").
struct SignatureV4: Sendable {
  let accessKey: String
  let secretKey: String
  let region: String
  let service: String

  /// Returns the headers for a GET of a URL without a query, whose path is already escaped.
  func headers(forGetting url: URL, at time: Date = Date()) -> HTTPHeaders {
    guard !accessKey.isEmpty else { return [:] }
    // Like 20261125T150000Z.
    let stamp = time.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    let day = String(stamp.prefix(8))
    // Sent as it is signed: the client would write an IPv6 address and a usual port in another way.
    let host = HostName.authority(of: url)!
    let emptyHash = Hexadecimal.text(SHA256.hash(data: Data()))
    let signed = [("host", host), ("x-amz-content-sha256", emptyHash), ("x-amz-date", stamp)]
    let names = signed.map(\.0).joined(separator: ";")
    let request = [
      "GET", url.path(percentEncoded: true), "", signed.map { "\($0):\($1)\n" }.joined(), names, emptyHash,
    ].joined(separator: "\n")
    let scope = "\(day)/\(region)/\(service)/aws4_request"
    let text = ["AWS4-HMAC-SHA256", stamp, scope, Hexadecimal.text(SHA256.hash(data: Data(request.utf8)))]
      .joined(separator: "\n")
    let key = [day, region, service, "aws4_request"].reduce(Data("AWS4\(secretKey)".utf8)) { Self.code($1, $0) }
    let signature = Hexadecimal.text(Self.code(text, key))
    return [
      "Host": host, "x-amz-content-sha256": emptyHash, "x-amz-date": stamp,
      "Authorization":
        "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)",
    ]
  }

  private static func code(_ text: String, _ key: Data) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
  }
}
