import FaceCrop
import Foundation

/// A URL in imgproxy's dialect, such as `/SIGNATURE/rs:fill:300:400/g:obj:face/plain/https://example.com/a.jpg@webp`.
/// It follows imgproxy's documentation. Unsupported options are refused by name, never ignored.
struct ImgproxyURL {
  /// The path as it was sent, from its slash on.
  let path: String
  let settings: Settings
  /// Seconds since 1970.
  var now = Int(Date().timeIntervalSince1970)

  /// Returns whether a path is in this dialect: by its signature's length, or by an option that is not thumbor's.
  static func isOne(_ path: String) -> Bool {
    let parts = path.dropFirst().split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "unsafe" else { return parts.count > 1 && parts[0].utf8.count == 43 }
    return parts[1].first?.isLetter == true && parts[1].contains(":") && !parts[1].hasSuffix(":")
      && !["filters:", "trim:"].contains(where: parts[1].hasPrefix)
  }

  static let encryptedSource = ServiceError.invalidQuery(
    "imgproxy's encrypted sources (enc/) are not supported (write plain/ and the escaped URL, or URL-safe Base64)")

  /// Parses and verifies the URL. Throws ``ServiceError/invalidQuery(_:)`` or ``ServiceError/forbidden(_:)``.
  func request() throws(ServiceError) -> SignedRequest {
    let (signed, signer) = try settings.signed(
      path, "imgproxy", settings.imgproxyKeys, by: Signature.imgproxysSigner)
    var options = Options(url: self)
    var rest = signed[...]
    while let end = rest.firstIndex(of: "/"), rest[..<end].contains(":") {
      let words = rest[..<end].split(separator: ":", omittingEmptySubsequences: false)
      try options.set(words[0], Array(words.dropFirst()))
      rest = rest[rest.index(after: end)...]
    }
    try options.setSource(rest)
    if options.fills { options.picture.part = options.region }
    let picture = options.picture.scaled(by: options.ratio ?? 1, within: settings.largestSide)
    return SignedRequest(picture: picture, signer: signer, end: options.end, hasRatio: options.ratio != nil)
  }

  /// The options of a URL. A later one replaces an earlier one.
  private struct Options {
    let url: ImgproxyURL
    var picture = PictureRequest(source: "", part: .whole(covers: false))
    /// The crop region, if the image fills the size.
    var region = PictureRequest.Part.aligned(horizontal: 0.5, vertical: 0.5)
    var fills = false
    var ratio: Double?
    var end: Int?

    mutating func set(_ name: Substring, _ values: [Substring]) throws(ServiceError) {
      let text = values.joined(separator: ":")
      func known<Value>(_ value: Value?, _ form: String) throws(ServiceError) -> Value {
        guard let value else { throw .invalidQuery("\(name) must be \(form), not '\(text)'") }
        return value
      }
      func side() throws(ServiceError) -> Int? {
        let sides = 0...url.settings.largestSide
        let side = try known(Int(text).flatMap { sides.contains($0) ? $0 : nil }, "0 to \(sides.upperBound) pixels")
        return side == 0 ? nil : side
      }
      switch name {
      case "resize", "rs": try set(["rt", "w", "h", "el", "ex"], values)
      case "size", "s": try set(["w", "h", "el", "ex"], values)
      case "resizing_type", "rt":
        fills = try known(["fit": false, "fill": true, "fill-down": true][text], "fit, fill or fill-down")
      case "width", "w": picture.width = try side()
      case "height", "h": picture.height = try side()
      case "enlarge", "el": picture.allowsUpscaling = try known(Self.flags[text], "1 or 0")
      case "gravity", "g": region = try known(Self.region(values), "obj:face, sm, or a side without an offset")
      case "quality", "q":
        var crop = CropRequest()
        try URLParameter.quality.set(&picture, &crop, text)
      case "format", "f", "ext": picture.format = try PictureRequest.Format.read(text[...])
      case "dpr":
        let number = Double(decimal: text)
        ratio = try known(number.flatMap { $0 > 0 && $0 <= 10 ? $0 : nil }, "a number above 0, at most 10")
      case "expires", "exp": end = try OwnURL.expiry(text, now: url.now)
      case "cachebuster", "cb": break
      case "extend" where Self.flags[text] == false, "ex" where Self.flags[text] == false: break
      // Responses never have metadata or a profile, and images are always rotated.
      case "strip_metadata", "sm", "strip_color_profile", "scp", "auto_rotate", "ar":
        _ = try known(Self.flags[text] == true ? text : nil, "1")
      default:
        let remedy = Self.remedies[name] ?? "use rs, w, h, el, g, q, f, dpr, exp or cb"
        throw .invalidQuery("imgproxy's option \(name) is not supported (\(remedy))")
      }
    }

    /// Sets the options that the values of another one stand for.
    private mutating func set(_ names: [Substring], _ values: [Substring]) throws(ServiceError) {
      for (name, value) in zip(names, values) where !value.isEmpty { try set(name, [value]) }
    }

    private static let remedies: [Substring: String] = [
      "preset": "write /crop/PRESET/SIZE", "pr": "write /crop/PRESET/SIZE", "blur_detections": "write /blur",
      "bd": "write /blur", "draw_detections": "write /meta", "dd": "write /meta",
    ]

    private static let flags = ["1": true, "t": true, "true": true, "0": false, "f": false, "false": false]

    private static func region(_ values: [Substring]) -> PictureRequest.Part? {
      if values == ["sm"] || values == ["obj", "face"] { return .smart }
      guard values.dropFirst().allSatisfy({ Double(decimal: $0) == 0 }) else { return nil }
      let places: [Substring: (Double, Double)] = [
        "no": (0.5, 0), "so": (0.5, 1), "ea": (1, 0.5), "we": (0, 0.5), "noea": (1, 0), "nowe": (0, 0),
        "soea": (1, 1), "sowe": (0, 1), "ce": (0.5, 0.5),
      ]
      return places[values[0]].map { .aligned(horizontal: $0.0, vertical: $0.1) }
    }

    /// Reads the image's name, `plain/NAME@FORMAT` or `BASE64.FORMAT`.
    mutating func setSource(_ text: Substring) throws(ServiceError) {
      guard !text.hasPrefix("enc/") else { throw ImgproxyURL.encryptedSource }
      let isPlain = text.hasPrefix("plain/")
      let parts = (isPlain ? text.dropFirst("plain/".count) : text)
        .split(separator: isPlain ? "@" : ".", omittingEmptySubsequences: false)
      let bytes = isPlain ? nil : Signature.decoded(String(parts[0]).replacing("/", with: ""))
      let decoded = isPlain ? PercentCoding.decoded(parts[0]) : bytes.flatMap { String(validating: $0, as: UTF8.self) }
      // imgproxy's form for a file of the folder.
      let name = decoded.map { $0.hasPrefix("local:///") ? String($0.dropFirst("local:///".count)) : $0 } ?? ""
      guard parts.count <= 2, !name.isEmpty, !name.utf8.contains(0) else {
        throw .invalidQuery("'\(text)' is not an image (write plain/ and its escaped URL, or URL-safe Base64)")
      }
      picture.source = name
      if parts.count == 2 { picture.format = try PictureRequest.Format.read(parts[1]) }
    }
  }
}
