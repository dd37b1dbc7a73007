import Crypto
import FoundationEssentials

/// Signatures of URLs, compared in constant time.
enum Signature {
  /// thumbor's: HMAC-SHA1 of what follows it, in URL-safe Base64 (libthumbor's `CryptoURL`).
  static func isThumbors(_ signature: String, of text: String, key: String) -> Bool {
    guard let code = decoded(signature) else { return false }
    return HMAC<Insecure.SHA1>.isValidAuthenticationCode(
      code, authenticating: Data(text.utf8), using: SymmetricKey(data: Data(key.utf8)))
  }

  /// The server's own: HMAC-SHA256 of path and query before it, in URL-safe Base64.
  static func isOwn(_ signature: String, of text: String, key: String) -> Bool {
    guard let code = decoded(signature) else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(
      code, authenticating: Data(text.utf8), using: SymmetricKey(data: Data(key.utf8)))
  }

  static func own(of text: String, key: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: Data(key.utf8)))
    return Data(code).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// URL-safe Base64, with its padding or without.
  private static func decoded(_ text: String) -> Data? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
  }
}
