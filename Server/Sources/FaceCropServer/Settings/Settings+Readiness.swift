import Foundation
import Glibc
import SystemPackage

extension Settings {
  /// The reasons why the server could serve no image with these settings; empty if it can.
  var faults: [String] {
    guard servesImages else { return [] }
    return [keyFault, originFault, folderFault, hostFault, storeFault].compactMap(\.self)
  }

  /// A server for a review needs no images of its own.
  private var servesImages: Bool { review.isEmpty || ["folder", "hosts", "s3-endpoint"].contains { given[$0] != nil } }

  var keyFault: String? {
    guard servesImages, (thumborKeys + imgproxyKeys + signingKeys).isEmpty, !unsafe else { return nil }
    return "no signing key is set, so all requests would be refused (set signing-key, thumbor-key or imgproxy-key)"
  }

  /// The missing source. Uploads count as one only if the operator asked for them.
  private var originFault: String? {
    guard folder.isEmpty, hosts.isEmpty, s3Endpoint.isEmpty, !(uploads && given["uploads"] != nil) else { return nil }
    return
      "no image source is set (set folder, hosts or s3-endpoint, or write uploads: true to serve uploads alone)"
  }

  /// The first entry of `hosts` that no address can match. It is not shown, as a URL may have a password.
  private var hostFault: String? {
    guard let place = hosts.firstIndex(where: { !WebOrigin.isEntry($0) }) else { return nil }
    return "\(self.place("hosts")): entry \(place + 1) is no host"
      + " (write cdn.example.com, *.example.com or cdn.example.com:8080)"
  }

  /// The settings that can never have an effect, which `--check` reports. The server works without them.
  var uselessSettings: [String] {
    guard !traceEndpoint.isEmpty, !Self.isAddress(traceEndpoint) else { return [] }
    return ["\(place("trace-endpoint")) is no address of a collector (write http://collector:4318)"]
  }

  private static func isAddress(_ text: String) -> Bool {
    URL(string: text).map { ["http", "https"].contains($0.scheme?.lowercased()) && HostName.of($0) != nil } ?? false
  }

  private var storeFault: String? {
    guard !s3Endpoint.isEmpty else { return nil }
    guard Self.isAddress(s3Endpoint) else {
      return "\(place("s3-endpoint")) is no address of a store (write https://s3.example.com)"
    }
    return s3Buckets.isEmpty ? "\(place("s3-endpoint")) has no bucket (name them in s3-buckets)" : nil
  }

  private var folderFault: String? {
    guard !folder.isEmpty else { return nil }
    let file = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file < 0 else {
      close(file)
      return nil
    }
    return "\(folder): the folder cannot be read: \(Errno(rawValue: errno)) (set folder to one that can)"
  }
}
