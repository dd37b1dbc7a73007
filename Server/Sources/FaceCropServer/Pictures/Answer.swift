import Crypto
import FaceCrop
import Foundation

/// The body of a response, and its headers.
struct Answer: Sendable {
  let mediaType: String
  let bytes: [UInt8]
  /// The time when its source was read, in seconds since 1970.
  let time: Int
  /// A hash of the bytes; equal responses have equal tags.
  let tag: String
  /// Whether caches may keep it.
  var isStorable = true

  init(mediaType: String, bytes: [UInt8], time: Int = Int(Date().timeIntervalSince1970)) {
    self.mediaType = mediaType
    self.bytes = bytes
    self.time = time
    tag = "\"\(Hexadecimal.text(SHA256.hash(data: bytes).prefix(16)))\""
  }

  var cost: Int { bytes.count + 256 }

  func isFresh(_ age: Duration?) -> Bool {
    guard let age else { return true }
    return (0...Int(age / .seconds(1))).contains(Int(Date().timeIntervalSince1970) - time)
  }

  /// Returns the value of `Cache-Control`. Caches may keep the response for the least of the operator's setting, the time
  /// until the URL expires, and the source's freshness. They may send it a while longer, but not after the URL expired.
  ///
  /// - Parameters:
  ///   - end: The expiry of the URL, in seconds since 1970; nil for never.
  ///   - age: The freshness of the source; nil for no limit.
  ///   - now: Seconds since 1970.
  func cacheControl(
    _ settings: Settings, until end: Int?, freshFor age: Duration?, now: Int = Int(Date().timeIntervalSince1970)
  ) -> String {
    guard isStorable else { return "no-store" }
    let left = end.map { $0 > now ? $0 - now : 0 } ?? .max
    let fresh = age.map { Int($0 / .seconds(1)) - max(now - time, 0) } ?? .max
    let maxAge = max(min(settings.maxAge, left, fresh), 0)
    let stale = min(settings.staleWhileRevalidate, left - maxAge)
    return "public, max-age=\(maxAge)\(stale > 0 ? ", stale-while-revalidate=\(stale)" : "")"
  }

  // MARK: As a file

  private struct Facts: Codable {
    var mediaType: String
    var time: Int
  }

  var stored: [UInt8]? { StoredFile(Facts(mediaType: mediaType, time: time), bytes).file }

  private static let mediaTypes = Set(["application/json"] + ImageFormat.allCases.map(\.mediaType))

  /// Reads a stored file. Returns nil if its bytes have changed, or if it is of no type that the server makes.
  init?(stored: [UInt8]) {
    guard let file = StoredFile<Facts>(file: stored), Self.mediaTypes.contains(file.facts.mediaType) else { return nil }
    self.init(mediaType: file.facts.mediaType, bytes: file.bytes, time: file.facts.time)
  }
}
