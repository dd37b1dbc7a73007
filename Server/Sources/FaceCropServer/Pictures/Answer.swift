import Crypto
import FaceCrop
import Foundation

/// What is sent: a file, and what is known of it.
struct Answer: Sendable {
  let mediaType: String
  let bytes: [UInt8]
  /// When its source was read, in seconds since 1970.
  let time: Int
  /// Of the bytes; equal answers have equal ones, however they were asked for.
  let tag: String

  init(mediaType: String, bytes: [UInt8], time: Int = Int(Date().timeIntervalSince1970)) {
    self.mediaType = mediaType
    self.bytes = bytes
    self.time = time
    tag = Self.tag(bytes)
  }

  private static func tag(_ bytes: [UInt8]) -> String {
    "\"" + SHA256.hash(data: bytes).prefix(16).map { String(format: "%02x", $0) }.joined() + "\""
  }

  var cost: Int { bytes.count + 256 }

  func isFresh(_ age: Duration?) -> Bool {
    guard let age else { return true }
    return (0...Int(age / .seconds(1))).contains(Int(Date().timeIntervalSince1970) - time)
  }

  /// Returns how many seconds caches may keep the response. The operator's setting, the URL's expiry and the source's freshness limit
  /// it; the least counts.
  ///
  /// - Parameters:
  ///   - end: when the URL expires, in seconds since 1970; nil for never.
  ///   - age: that the source may have; nil for any.
  ///   - now: seconds since 1970.
  func maxAge(
    _ settings: Settings, until end: Int?, freshFor age: Duration?, now: Int = Int(Date().timeIntervalSince1970)
  ) -> Int {
    let left = end.map { $0 > now ? $0 - now : 0 }
    let fresh = age.map { Int($0 / .seconds(1)) - max(now - time, 0) }
    return max([settings.maxAge, left ?? .max, fresh ?? .max].min()!, 0)
  }

  // MARK: As a file

  private struct Header: Codable {
    var mediaType: String
    var time: Int
    var tag: String
  }

  /// A line of JSON, and the bytes.
  var stored: [UInt8]? {
    guard let header = try? JSONEncoder().encode(Header(mediaType: mediaType, time: time, tag: tag)) else { return nil }
    return Array(header) + [UInt8(ascii: "\n")] + bytes
  }

  /// Nil where the bytes are not those that were stored.
  init?(stored: [UInt8]) {
    guard let end = stored.firstIndex(of: UInt8(ascii: "\n")),
      let header = try? JSONDecoder().decode(Header.self, from: Data(stored[..<end]))
    else { return nil }
    self.init(mediaType: header.mediaType, bytes: Array(stored[(end + 1)...]), time: header.time)
    guard tag == header.tag else { return nil }
  }
}
