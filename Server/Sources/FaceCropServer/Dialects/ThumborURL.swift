import FaceCrop

/// A URL in thumbor's dialect, such as `/SIGNATURE/meta/fit-in/300x400/left/top/smart/filters:format(webp)/SOURCE`. It
/// follows the documentation of thumbor and libthumbor. Unsupported features are refused by name, never ignored.
struct ThumborURL {
  /// The path as it was sent, from its slash on.
  let path: String
  let settings: Settings

  /// Parses and verifies the URL. Throws ``ServiceError/invalidQuery(_:)``, ``ServiceError/forbidden(_:)``, or
  /// ``ServiceError/unknownURL(_:)`` if the path does not begin with a signature.
  func request() throws(ServiceError) -> SignedRequest {
    let signature = path.dropFirst().prefix { $0 != "/" }
    // For example a URL with a prefix that a proxy should have removed.
    guard signature == "unsafe" || PercentCoding.decoded(signature).map(Signature.isThumbors) == true else {
      throw .unknownURL(settings.urls)
    }
    let (text, signer) = try settings.signed(path, "thumbor", settings.thumborKeys, by: Signature.thumborsSigner)
    return SignedRequest(picture: try read(text), signer: signer)
  }

  // MARK: Options

  private func read(_ text: String) throws(ServiceError) -> PictureRequest {
    var rest = text[...]
    /// Takes the next part of the path if it is wanted.
    func take(_ isWanted: (Substring) -> Bool) -> Substring? {
      guard let end = rest.firstIndex(of: "/"), isWanted(rest[..<end]) else { return nil }
      defer { rest = rest[rest.index(after: end)...] }
      return rest[..<end]
    }
    func take(anyOf words: [Substring]) -> Substring? { take { words.contains($0) } }

    if take(anyOf: ["debug"]) != nil { throw .invalidQuery("debug is not supported") }
    var request = PictureRequest(source: "", part: .smart)
    request.allowsUpscaling = true
    request.isMeta = take(anyOf: ["meta"]) != nil
    if take({ $0 == "trim" || $0.hasPrefix("trim:") }) != nil { throw .invalidQuery("trim is not supported") }
    if let corners = take(Self.isManualCrop) { request.corners = try Self.corners(corners) }
    let fit = take(anyOf: ["fit-in", "full-fit-in", "adaptive-fit-in", "adaptive-full-fit-in"])
    if let size = take(Self.isSize) { try readSize(size, &request) }
    let horizontal = take(anyOf: ["left", "center", "right"])
    let vertical = take(anyOf: ["top", "middle", "bottom"])
    let isSmart = take(anyOf: ["smart"]) != nil
    if isSmart && request.corners != nil {
      throw .invalidQuery("smart is not supported together with a manual crop (AxB:CxD)")
    }
    if let fit {
      request.part = .whole(covers: fit.hasSuffix("full-fit-in"), turns: fit.hasPrefix("adaptive"))
      request.allowsUpscaling = false
    } else if !isSmart {
      request.part = .aligned(
        horizontal: ["left": 0, "right": 1][horizontal ?? ""] ?? 0.5,
        vertical: ["top": 0, "bottom": 1][vertical ?? ""] ?? 0.5)
    }
    if rest.hasPrefix("filters:"), let filters = take({ _ in true }) { try readFilters(filters.dropFirst(8), &request) }
    guard let source = PercentCoding.decoded(rest) else {
      throw .invalidQuery("the name of the image, \(PercentCoding.fault(of: rest))")
    }
    guard !source.allSatisfy({ $0 == "/" }) else { throw .invalidQuery("the URL does not name an image") }
    request.source = named(source)
    return request
  }

  /// Returns the name of an image as thumbor's loaders read it: the one of hosts takes a name without a scheme for a URL
  /// with http, and the one of files ignores slashes in front.
  private func named(_ source: String) -> String {
    guard Origins.scheme(of: source) == nil else { return source }
    let name = String(source.drop { $0 == "/" })
    return settings.folder.isEmpty && !settings.hosts.isEmpty ? "http://" + name : name
  }

  private static func isManualCrop(_ part: Substring) -> Bool {
    let corners = part.split(separator: ":", omittingEmptySubsequences: false)
    return corners.count == 2 && corners.allSatisfy { isSize($0) }
  }

  /// Parses `10x20:300x400`: left, top, right, bottom.
  private static func corners(_ part: Substring) throws(ServiceError) -> PictureRequest.Corners? {
    let places = part.split(whereSeparator: { $0 == ":" || $0 == "x" }).map { Int($0) }
    guard places.count == 4, let left = places[0], let top = places[1], let right = places[2], let bottom = places[3],
      min(left, top, right, bottom) >= 0
    else { throw .invalidQuery("a manual crop needs four whole numbers, such as 10x20:300x400, not '\(part)'") }
    // thumbor treats a crop of only zeros as no crop.
    if (left, top, right, bottom) == (0, 0, 0, 0) { return nil }
    guard left < right, top < bottom else { throw .invalidQuery("the manual crop '\(part)' has no pixels") }
    return PictureRequest.Corners(left: left, top: top, right: right, bottom: bottom)
  }

  /// Returns whether a part is a size: `300x200`, `300x`, `x200`, `-300x0`, `origx200`, `x`.
  private static func isSize(_ part: Substring) -> Bool {
    let sides = part.split(separator: "x", omittingEmptySubsequences: false)
    return sides.count == 2
      && sides.allSatisfy { side in
        let digits = side.first == "-" ? side.dropFirst() : side
        return digits.isEmpty || digits == "orig" || digits.allSatisfy { $0.isASCII && $0.isNumber }
      }
  }

  private func readSize(_ part: Substring, _ request: inout PictureRequest) throws(ServiceError) {
    let sides = part.split(separator: "x", omittingEmptySubsequences: false)
    func side(_ text: Substring) throws(ServiceError) -> Int? {
      if text.hasPrefix("-") { throw .invalidQuery("negative sizes such as '\(text)', which flip, are not supported") }
      if text == "orig" { throw .invalidQuery("the size orig is not supported (omit it)") }
      guard let side = text.isEmpty ? 0 : Int(text), side <= settings.largestSide else {
        throw .invalidQuery("the side '\(text)' is larger than \(settings.largestSide) pixels")
      }
      return side == 0 ? nil : side
    }
    request.width = try side(sides[0])
    request.height = try side(sides[1])
  }

  private func readFilters(_ filters: Substring, _ request: inout PictureRequest) throws(ServiceError) {
    if filters.isEmpty { return }
    // A value may have colons: focal(10x10:50x50).
    for filter in filters.dropLast().split(separator: "):", omittingEmptySubsequences: false) {
      guard filters.hasSuffix(")"), let open = filter.firstIndex(of: "(") else {
        throw .invalidQuery("'\(filters)' has a part that is not a filter (write name(value):name(value))")
      }
      let value = filter[filter.index(after: open)...]
      switch filter[..<open] {
      case "format": request.format = try PictureRequest.Format.read(value)
      case "quality":
        var crop = CropRequest()
        try URLParameter.quality.set(&request, &crop, String(value))
      case "no_upscale": request.allowsUpscaling = false
      case "upscale": request.allowsUpscaling = true
      // Responses never have EXIF data or a profile.
      case "strip_exif", "strip_icc": break
      default:
        throw .invalidQuery(
          "the filter \(filter[..<open]) is not supported (use format, quality, upscale, no_upscale, strip_exif or strip_icc)"
        )
      }
    }
  }
}

extension Settings {
  /// Returns the text behind the signature of a path in another server's dialect, and its signer; nil for `unsafe`.
  func signed(
    _ path: String, _ dialect: String, _ keys: [String],
    by find: (_ text: String, _ signature: String, _ keys: [String]) -> Signature.Signer?
  ) throws(ServiceError) -> (text: String, signer: Signature.Signer?) {
    let parts = path.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[1].isEmpty else { throw .unknownURL(urls) }
    if parts[0] == "unsafe" {
      guard self.unsafe else { throw .forbidden("this server does not allow 'unsafe' (sign the URL)") }
      return (parts[1], nil)
    }
    guard !keys.isEmpty else {
      throw self.unsafe
        ? .unknownURL(urls)
        : .forbidden("this server has no key for \(dialect)'s URLs (see the setting \(dialect)-key)")
    }
    guard let signer = find(parts[1], parts[0], keys) else { throw .forbidden("the URL's signature is wrong") }
    return (parts[1], signer)
  }
}
