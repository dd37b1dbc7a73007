import Crypto
import FoundationEssentials

/// Signatures of URLs, compared in constant time.
enum Signature {
  /// The setting and the number of a key, from 1 on: "signing-key 1".
  typealias Signer = String

  /// Returns the signer of a thumbor URL: HMAC-SHA1 of the rest of the path, in URL-safe Base64 (libthumbor's format).
  static func thumborsSigner(of text: String, _ signature: String, keys: [String]) -> Signer? {
    signer(HMAC<Insecure.SHA1>.self, of: text, signature, padding: "=", keys.map(unsalted)).map { "thumbor-key \($0)" }
  }

  /// Returns the signer of an imgproxy URL: HMAC-SHA256 of a salt and the rest of the path with its slash, in URL-safe
  /// Base64 without padding.
  static func imgproxysSigner(of text: String, _ signature: String, keys: [String]) -> Signer? {
    signer(HMAC<SHA256>.self, of: "/\(text)", signature, padding: "", keys.compactMap(imgproxyKey))
      .map { "imgproxy-key \($0)" }
  }

  /// Reads a key of 16 bytes or more and its salt, `KEY:SALT`, both in hexadecimal digits; nil for other texts.
  static func imgproxyKey(_ text: String) -> (key: Data, salt: Data)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { $0.utf8.map(PercentCoding.digit) }
    guard parts.count == 2, parts[0].count >= 32, parts.allSatisfy({ $0.count % 2 == 0 && !$0.contains(nil) }) else {
      return nil
    }
    let bytes = parts.map { digits in
      Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0]! << 4 | digits[$0 + 1]! })
    }
    return (bytes[0], bytes[1])
  }

  private static func unsalted(_ key: String) -> (key: Data, salt: Data) { (Data(key.utf8), Data()) }

  /// Returns whether a text has the length and the alphabet of a thumbor URL's signature.
  static func isThumbors(_ text: String) -> Bool {
    let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
    // 20 bytes are 27 digits, and perhaps an equals sign.
    return digits.count == 27 && text.utf8.count <= 28 && decoded(text) != nil
  }

  /// Returns the signer of the server's own URL: HMAC-SHA256 of the path and the query before it, in URL-safe Base64.
  static func ownSigner(of text: String, _ signature: String, keys: [String]) -> Signer? {
    signer(HMAC<SHA256>.self, of: text, signature, padding: "", keys.map(unsalted)).map { "signing-key \($0)" }
  }

  private static func signer<Hash>(
    _: HMAC<Hash>.Type, of text: String, _ signature: String, padding: String, _ keys: [(key: Data, salt: Data)]
  ) -> Int? {
    // Other spellings of the same code would let anybody fill a CDN's cache with one image.
    guard let code = decoded(signature), encoded(code) + padding == signature else { return nil }
    let readings = readings(of: text).map { Data($0.utf8) }
    return keys.firstIndex { key in
      readings.contains {
        HMAC<Hash>.isValidAuthenticationCode(code, authenticating: key.salt + $0, using: SymmetricKey(data: key.key))
      }
    }.map { $0 + 1 }
  }

  /// Returns the texts that a client may have signed for a URL. One is the text that arrived. The other one has each
  /// `%27` of the query as an apostrophe, because browsers escape all apostrophes after signing (URL Standard, 1.3).
  ///
  /// Both mean the same: the server decodes the query's values, knows no name with an apostrophe, and refuses a broken
  /// escape. Other escapes are never decoded here, as `%26` would then mean `&`.
  private static func readings(of text: String) -> [String] {
    guard let query = text.firstIndex(of: "?"), text[query...].contains("%27"), !text[query...].contains("'") else {
      return [text]
    }
    return [text, "\(text[..<query])\(text[query...].replacing("%27", with: "'"))"]
  }

  static func own(of text: String, key: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: Data(key.utf8)))
    return encoded(Data(code))
  }

  /// Encodes bytes in URL-safe Base64 without padding.
  private static func encoded(_ bytes: Data) -> String {
    bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Decodes URL-safe Base64, with or without padding.
  static func decoded(_ text: String) -> Data? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
  }
}
