extension ImageFormat {
  /// The format in which a client is best answered, by the list that it sends (RFC 9110, 12.5.1): of AVIF, WebP, JPEG and PNG the one
  /// with the highest weight, in this order where weights are equal.
  ///
  /// Old programs send `*/*` and know neither AVIF nor WebP, so these are given to those alone who name them.
  ///
  /// - Parameters:
  ///   - list: As in HTTP's header `Accept`: `image/avif,image/webp,*/*;q=0.8`. What makes no sense in it is passed over.
  ///   - features: What the format's encoder has to be able to do.
  /// - Returns: JPEG where the list allows for none of them, as a client who says nothing may be sent anything, and PNG where that cannot
  ///   do what is needed.
  public static func accepted(by list: String, needing features: EncoderFeatures = []) -> ImageFormat {
    let able = [ImageFormat.avif, .webp, .jpeg, .png].filter {
      $0.isWritten && $0.encoderFeatures.isSuperset(of: features)
    }
    var best: (format: ImageFormat, weight: Double)?
    let weights = weights(in: list)
    for format in able {
      let byName = weights[format.mediaType]
      let byRange = format == .jpeg || format == .png ? weights["image/*"] ?? weights["*/*"] : nil
      if let weight = byName ?? byRange, weight > best?.weight ?? 0 { best = (format, weight) }
    }
    return best?.format ?? (able.contains(.jpeg) ? .jpeg : .png)
  }

  /// Weights of 0…1 by media range, in lower case.
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
