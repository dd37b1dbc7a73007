import FaceCrop
import Foundation

/// A URL in the server's own dialect, `/crop/avatar/512.webp?src=people/me.jpg&quality=80&exp=1790000000&sig=…`, or
/// `/blur?src=…` for a whole image with hidden faces. `/meta/avatar/512?src=…` and `/meta/blur?src=…` are the metadata.
///
/// The signature is the last part of the query. It covers the path, a question mark, and the query before `&sig=`.
struct OwnURL {
  let path: String
  let query: String?
  let settings: Settings
  /// Whether the image is the request's body, which needs no `src`.
  var hasBody = false
  /// Seconds since 1970.
  var now = Int(Date().timeIntervalSince1970)

  static let prefixes = ["/crop/", "/meta/", "/blur"]

  /// The last second of the year 9999. A later expiry is a time in milliseconds, and would be never.
  private static let lastExpiry = 253_402_300_799

  /// Parses and verifies the URL. Throws ``ServiceError/invalidQuery(_:)``, ``ServiceError/forbidden(_:)``, or
  /// ``ServiceError/unknownURL(_:)`` for a path such as `//crop/`, which the router takes for `/crop/`.
  func request() throws(ServiceError) -> SignedRequest {
    guard Self.prefixes.contains(where: path.hasPrefix) else { throw .unknownURL(settings.urls) }
    let (fields, signer, end) = try signedFields()
    return SignedRequest(picture: try read(fields), signer: signer, end: end)
  }

  /// Parses and verifies the URL of a purge, `/purge?src=…`. It needs a signature, even where URLs of images need none.
  func purge() throws(ServiceError) -> SignedRequest {
    let (fields, signer, end) = try signedFields()
    guard signer != nil else { throw .forbidden("a purge needs a signature, even with unsafe (use a signing-key)") }
    var (request, crop) = (PictureRequest(source: "", part: .smart), CropRequest())
    try set(fields, &request, &crop)
    return SignedRequest(picture: request, signer: signer, end: end)
  }

  /// The values of the query by their names.
  private typealias Fields = [Substring: String]

  /// Checks the signature, and returns the query's other fields, the signer, and the expiry.
  private func signedFields() throws(ServiceError) -> (Fields, Signature.Signer?, end: Int?) {
    var parts = (query ?? "").split(separator: "&", omittingEmptySubsequences: false)
    var signer: Signature.Signer?
    if let last = parts.last, last.hasPrefix("sig=") {
      parts.removeLast()
      guard !settings.signingKeys.isEmpty else {
        throw .forbidden("this server has no key for signed URLs (see the setting signing-key)")
      }
      let signed = "\(path)?\(parts.joined(separator: "&"))"
      signer = Signature.ownSigner(of: signed, String(last.dropFirst(4)), keys: settings.signingKeys)
      guard signer != nil else { throw .forbidden("the URL's signature is wrong") }
    } else if !settings.unsafe {
      throw .forbidden(
        path.contains("&sig=")
          ? "the URL has no '?' before '&sig=' (write and sign it, even before an empty query)"
          : "the URL is not signed (add sig as the last part of the query)")
    }
    // An upload without options has only a signature in its query, perhaps after `&`.
    if parts == [""] { parts = [] }
    var fields = Fields()
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { throw .invalidQuery("the query has '\(part)' (write name=value)") }
      guard let value = PercentCoding.decoded(pair[1]) else {
        throw .invalidQuery("in the query, \(PercentCoding.fault(of: part))")
      }
      guard fields[pair[0]] == nil else {
        throw .invalidQuery("the query has '\(pair[0])' twice (leave one of them out)")
      }
      guard pair[0] != "sig" else { throw .invalidQuery("sig must be the last part of the query (move it to the end)") }
      guard ["src", "exp"].contains(pair[0]) || parameters.contains(where: { $0.name == pair[0] }) else {
        let names = (["src"] + parameters.map(\.name)).joined(separator: ", ")
        throw .invalidQuery("the query has the unknown name '\(pair[0])' (use \(names), exp or sig)")
      }
      fields[pair[0]] = value
    }
    return (fields, signer, try fields["exp"].map { text throws(ServiceError) in try Self.expiry(text, now: now) })
  }

  /// Reads an expiry in seconds since 1970. Throws ``ServiceError/forbidden(_:)`` if it has passed.
  static func expiry(_ text: some StringProtocol, now: Int) throws(ServiceError) -> Int {
    guard let end = Int(text) else {
      throw .invalidQuery("exp must be a time in whole seconds since 1970, not '\(text)'")
    }
    guard end <= lastExpiry else {
      throw .invalidQuery(
        "exp must be in seconds since 1970, and '\(end)' is beyond the year 9999 (divide milliseconds by 1,000)")
    }
    guard now < end else { throw .forbidden("the URL expired at \(end)") }
    return end
  }

  // MARK: Options

  private var isBlur: Bool { path == "/blur" || path == "/meta/blur" }
  private var parameters: [URLParameter] { isBlur ? URLParameter.blur : path == "/purge" ? [] : URLParameter.all }

  private func read(_ fields: Fields) throws(ServiceError) -> PictureRequest {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    if isBlur { return try blur(fields, isMeta: parts.count == 2) }
    for name in ["/blur", "/meta/blur"] where path.hasPrefix("\(name)/") {
      throw .invalidQuery("the path must be \(name), and the image is named in the query (write \(name)?src=IMAGE)")
    }
    guard parts.count == 3 else {
      throw .invalidQuery("the path must be /crop/PRESET/SIZE.FORMAT, /blur, /meta/PRESET/SIZE or /meta/blur")
    }
    guard let preset = PercentCoding.decoded(parts[1]) else {
      throw .invalidQuery("the preset \(PercentCoding.fault(of: parts[1]))")
    }
    var crop = try Self.preset(preset)
    var request = PictureRequest(source: "", part: .smart)
    request.isMeta = parts[0] == "meta"
    let file = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    try readSize(file[0], &request, &crop)
    if file.count == 2 { request.format = try .read(file[1], among: Self.formats) }
    guard fields["person"] == nil || fields["faces"] == nil else {
      throw .invalidQuery("person already chooses the face (leave out faces)")
    }
    try set(fields, &request, &crop)
    try checkTemplate(fields)
    if crop.composition.alignsEyes, case .fill = crop.composition.layout {
      throw .invalidQuery("\(preset) takes the largest region, so align=true has no effect (leave out align)")
    }
    try checkQuality(request)
    request.part = .faces(crop)
    if case .named(let format) = request.format {
      // The response would have white corners.
      if let option = request.transparentOption, !format.encoderFeatures.contains(.transparency) {
        throw .invalidQuery("\(option) needs transparency, which \(format.name) lacks (\(Self.transparentFormats))")
      }
      if request.keepsFrames, !format.encoderFeatures.contains(.animation) {
        throw .invalidQuery("animation=keep needs WebP or GIF (write .webp, .gif or .auto behind the size)")
      }
    }
    return request
  }

  /// Refuses options that contradict a template, as the command does. Those of the preset do not count.
  private func checkTemplate(_ fields: Fields) throws(ServiceError) {
    guard fields["template"] != nil else { return }
    let conflict = FaceTemplate.conflict(
      faces: fields["faces"].flatMap { URLParameter.selections[$0] },
      noFace: fields["no-face"].flatMap { NoFacePolicy(rawValue: $0) }, alignsEyes: fields["align"] == "true")
    switch conflict {
    case nil: break
    case .alignsEyes:
      throw .invalidQuery("template already levels the eyes, by its own points (leave out align or template)")
    case .severalFaces:
      throw .invalidQuery(
        "template shows one face, so faces=\(fields["faces"]!) has no effect (use one face, such as prominent)")
    case .noFace:
      throw .invalidQuery(
        "template has no output for an image without a face, so no-face=\(fields["no-face"]!) has no effect "
          + "(use maybe, person or fail)")
    }
  }

  /// Reads the options of a whole image with hidden faces.
  private func blur(_ fields: Fields, isMeta: Bool) throws(ServiceError) -> PictureRequest {
    var request = PictureRequest(source: "", part: .whole(covers: false), blur: BlurRequest())
    request.isMeta = isMeta
    var crop = CropRequest()
    try set(fields, &request, &crop)
    try checkQuality(request)
    return request
  }

  /// Refuses a quality that has no effect, as the command does. A format that follows the image or the client may have
  /// one.
  private func checkQuality(_ request: PictureRequest) throws(ServiceError) {
    guard request.quality != nil, case .named(let format) = request.format,
      !format.encoderFeatures.contains(.quality)
    else { return }
    throw .invalidQuery(
      "quality has no effect on \(format.name) (leave it out, or choose jpg, webp"
        + "\(ImageFormat.avif.isWritten ? " or avif" : ""))")
  }

  /// Reads the source and the parameters of the query.
  private func set(
    _ fields: Fields, _ request: inout PictureRequest, _ crop: inout CropRequest
  ) throws(ServiceError) {
    let source = fields["src"].flatMap { $0.isEmpty ? nil : $0 }
    guard hasBody == (source == nil) else {
      throw .invalidQuery(
        hasBody ? "the body is the image, so src is not allowed" : "src is missing (name the image with src)")
    }
    request.source = source ?? ""
    // In the order of the table, because some parameters need an earlier one.
    for parameter in parameters {
      if let value = fields[parameter.name[...]] { try parameter.set(&request, &crop, value) }
    }
  }

  /// Returns a preset's request, without its size.
  private static func preset(_ name: String) throws(ServiceError) -> CropRequest {
    guard let preset = Preset(name: name) else {
      throw .invalidQuery(
        "the preset must be \(presets.joined(separator: ", ")), or a document such as passport:us, not '\(name)'")
    }
    return CropRequest(search: preset.search, composition: preset.composition)
  }

  /// Reads `512` as the longer side, or `400x500` as both sides and the shape.
  private func readSize(
    _ text: Substring, _ request: inout PictureRequest, _ crop: inout CropRequest
  ) throws(ServiceError) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.count <= 2, sides.allSatisfy({ (1...settings.largestSide).contains($0) }) else {
      throw .invalidQuery("the size must be like 512 or 400x500, up to \(settings.largestSide) pixels, not '\(text)'")
    }
    request.width = sides[0]
    request.height = sides.last
    if sides.count == 2 {
      request.isExact = true
      crop.composition.layout.aspect = AspectRatio(width: Double(sides[0]), height: Double(sides[1]))
    }
  }
}
