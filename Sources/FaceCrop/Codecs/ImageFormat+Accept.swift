extension ImageFormat {
  /// Chooses the best format for a client from its `Accept` header (RFC 9110, 12.5.1). It is the one with the highest
  /// weight of AVIF, WebP, JPEG, and PNG, in this order for equal weights. For animations, it is WebP or GIF.
  ///
  /// Old programs send `*/*` without support for AVIF and WebP. Therefore these two must be named.
  ///
  /// - Parameters:
  ///   - list: The header's value, such as `image/avif,image/webp,*/*;q=0.8`. Invalid entries are ignored.
  ///   - features: The features that the format's encoder must have. Default none.
  /// - Returns: The format. If the list allows none of them, the first of JPEG, PNG and GIF with the needed features.
  public static func accepted(by list: String, needing features: EncoderFeatures = []) -> ImageFormat {
    // A still image has better formats than GIF.
    let candidates: [ImageFormat] = [.avif, .webp, .jpeg, .png] + (features.contains(.animation) ? [.gif] : [])
    let able = candidates.filter { $0.isWritten && $0.encoderFeatures.isSuperset(of: features) }
    let basic = able.filter { $0 != .avif && $0 != .webp }
    var best: (format: ImageFormat, weight: Double)?
    let weights = weights(in: list)
    for format in able {
      let byName = weights[format.mediaType]
      let byRange = basic.contains(format) ? weights["image/*"] ?? weights["*/*"] : nil
      if let weight = byName ?? byRange, weight > best?.weight ?? 0 { best = (format, weight) }
    }
    return best?.format ?? basic.first ?? .png
  }

  /// Returns the weights, 0…1, by media range in lower case.
  private static func weights(in list: String) -> [String: Double] {
    var weights: [String: Double] = [:]
    for range in list.split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
      guard let name = parts.first else { continue }
      let said = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) }
      guard let weight = said ?? 1, (0...1).contains(weight) else { continue }
      weights[name] = max(weight, weights[name] ?? 0)
    }
    return weights
  }
}
