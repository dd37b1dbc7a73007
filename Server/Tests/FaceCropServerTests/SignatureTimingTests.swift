import Foundation
import Testing

@testable import FaceCropServer

/// Refusing a signature takes the same time wherever it is wrong (O. Reparaz, J. Balasch and I. Verbauwhede, "Dude, is
/// my code constant time?", DATE 2017). It depends on a clock, so `make timing-server` runs it alone.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FACECROP_TIMING"] != nil), .serialized)
struct SignatureTimingTests {
  private static let key = "a key of sixteen or more"
  private static let text = "/crop/avatar/512.webp?src=people%2Fme.jpg&exp=1790000000"
  private static let rounds = 200_000
  /// Welch's t above which two distributions certainly differ.
  private static let limit = 10.0

  /// Signatures that are wrong in the first character, and in the last one that holds eight bits of the code.
  private static let (early, late): (String, String) = {
    let right = Array(Signature.own(of: text, key: key).utf8)
    func wrong(at place: Int) -> String {
      var bytes = right
      bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      return String(decoding: bytes, as: UTF8.self)
    }
    return (wrong(at: 0), wrong(at: right.count - 3))
  }()

  @Test func ownSignatures() {
    let t = Self.difference { signature in
      Signature.ownSigner(of: Self.text, signature, keys: [Self.key]) != nil
    }
    print("signing-key: t = \(t)")
    #expect(abs(t) < Self.limit)
  }

  /// The measurement detects a comparison that ends at the first difference.
  @Test func aCarelessComparisonIsFound() {
    let right = Array(Signature.own(of: Self.text, key: Self.key).utf8)
    let t = Self.difference { signature in
      // Takes as long as the real comparison, and then compares byte by byte.
      _ = Signature.ownSigner(of: Self.text, signature, keys: [Self.key])
      for (a, b) in zip(signature.utf8, right) where a != b { return false }
      return true
    }
    print("byte by byte: t = \(t)")
    #expect(abs(t) > Self.limit)
  }

  /// Returns Welch's t of both times, taken in random order, without the slowest tenth, which other work causes.
  private static func difference(_ isRight: (String) -> Bool) -> Double {
    var times: [[Double]] = [[], []]
    for _ in 0..<2 * rounds {
      let isLate = Bool.random()
      let signature = isLate ? late : early
      let start = ContinuousClock.now
      let found = isRight(signature)
      let time = ContinuousClock.now - start
      precondition(!found)
      times[isLate ? 1 : 0].append(Double(time.components.attoseconds))
    }
    let slow = times.joined().sorted()[rounds * 9 / 5]
    let classes = times.map { $0.filter { $0 < slow } }
    let means = classes.map { $0.reduce(0, +) / Double($0.count) }
    let variances = zip(classes, means).map { times, mean in
      times.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(times.count - 1) / Double(times.count)
    }
    return (means[0] - means[1]) / (variances[0] + variances[1]).squareRoot()
  }
}
