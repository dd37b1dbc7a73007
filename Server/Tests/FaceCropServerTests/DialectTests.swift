import FaceCrop
import Testing

@testable import FaceCropServer

/// Parsing of URLs in both dialects.
struct DialectTests {
  private static let key = "a key of sixteen or more"

  private func settings(_ change: (inout Settings) -> Void) -> Settings {
    var settings = Settings()
    change(&settings)
    return settings
  }

  private func thumbor(_ path: String, _ change: (inout Settings) -> Void = { $0.unsafe = true }) throws
    -> PictureRequest
  {
    try ThumborURL(path: path, settings: settings(change)).request().picture
  }

  private func own(_ path: String, _ query: String?, _ change: (inout Settings) -> Void = { $0.unsafe = true }) throws
    -> PictureRequest
  {
    try OwnURL(path: path, query: query, settings: settings(change), now: 1_000).request().picture
  }

  /// The first unknown name is refused before the rest is read, so that many names cost no more than their bytes.
  @Test(arguments: [
    ("/crop/avatar/9", "a=1&a=2", "unknown name 'a'"), ("/meta/blur", "src=a&b=1&%zz=1&b=2", "unknown name 'b'"),
    ("/crop/avatar/9", "src=a&mode=blur&src=b", "unknown name 'mode'"), ("/blur", "sig=1&a=1", "sig must be"),
  ])
  func theFirstUnknownNameIsRefused(path: String, query: String, reason: String) {
    do {
      _ = try own(path, query)
      Issue.record("it was accepted")
    } catch {
      #expect((error as? ServiceError)?.message.contains(reason) == true, "\(error)")
    }
  }

  /// Documents and the largest region have names in the path.
  @Test func documentsAndShapesArePresets() throws {
    func crop(_ path: String, _ query: String = "src=a.jpg") throws -> CropRequest {
      guard case .faces(let crop) = try own(path, query).part else { throw ServiceError.invalidQuery("no crop") }
      return crop
    }
    #expect(try crop("/crop/avatar/600.jpg").search.faces == .prominent)
    for (name, faces) in [("prominent", FaceSelection.prominent), ("largest", .largest)] {
      #expect(try crop("/crop/crop/600.jpg", "src=a.jpg&faces=\(name)").search.faces == faces)
    }
    #expect(try crop("/crop/passport:us/600.jpg").composition.layout.framing == PhotoStandard.passportUS.framing)
    #expect(try crop("/crop/passport/600.jpg").composition.layout.framing == .passport)
    let fill = try crop("/crop/fill/1600x900.jpg")
    #expect(fill.composition == Composition(.fill(AspectRatio(width: 1_600, height: 900))))
    #expect(fill.search == FaceSearch(faces: .union, noFace: .center))
    #expect(try crop("/crop/social-facebook/1200.jpg").composition == SocialFormat.facebookLink.composition)
    #expect(throws: ServiceError.self) { try crop("/crop/passport:zz/600.jpg") }
  }

  @Test(arguments: [
    (
      "300x400/smart/a.jpg",
      PictureRequest(source: "a.jpg", part: .smart, width: 300, height: 400, allowsUpscaling: true)
    ),
    (
      "300x/smart/filters:format(webp):quality(80)/a/b.jpg",
      PictureRequest(
        source: "a/b.jpg", part: .smart, width: 300, allowsUpscaling: true, format: .named(.webp), quality: 80)
    ),
    ("fit-in/300x400/a.jpg", PictureRequest(source: "a.jpg", part: .whole(covers: false), width: 300, height: 400)),
    (
      "meta/full-fit-in/300x400/a.jpg",
      PictureRequest(source: "a.jpg", part: .whole(covers: true), width: 300, height: 400, isMeta: true)
    ),
    (
      "10x20:300x400/adaptive-full-fit-in/300x400/a.jpg",
      PictureRequest(
        source: "a.jpg", corners: .init(left: 10, top: 20, right: 300, bottom: 400),
        part: .whole(covers: true, turns: true), width: 300, height: 400)
    ),
    ("0x0:0x0/fit-in/9x9/a.jpg", PictureRequest(source: "a.jpg", part: .whole(covers: false), width: 9, height: 9)),
    (
      "300x400/left/bottom/a.jpg",
      PictureRequest(
        source: "a.jpg", part: .aligned(horizontal: 0, vertical: 1), width: 300, height: 400, allowsUpscaling: true)
    ),
    (
      "0x0/https%3A%2F%2Fexample.com%2Fa%20b.jpg",
      PictureRequest(
        source: "https://example.com/a b.jpg", part: .aligned(horizontal: 0.5, vertical: 0.5), allowsUpscaling: true)
    ),
    (
      "x200/top/filters:no_upscale():strip_exif()/https://example.com/a.jpg?v=2",
      PictureRequest(
        source: "https://example.com/a.jpg?v=2", part: .aligned(horizontal: 0.5, vertical: 0), height: 200)
    ),
    (
      "filters:format(auto)/smart/a.jpg",
      PictureRequest(
        source: "smart/a.jpg", part: .aligned(horizontal: 0.5, vertical: 0.5), allowsUpscaling: true, format: .accepted)
    ),
  ])
  func thumborsPaths(path: String, request: PictureRequest) throws {
    #expect(try thumbor("/unsafe/\(path)") == request)
  }

  /// Names without a scheme are those of hosts, if the server has hosts alone.
  @Test(arguments: [
    ("9x9/example.com/a.jpg", "", ["example.com"], "http://example.com/a.jpg"),
    ("9x9//a.jpg", "photos", ["example.com"], "a.jpg"), ("9x9/%2Fb/a.jpg", "photos", [], "b/a.jpg"),
    ("9x9/https://example.com/a.jpg", "", ["example.com"], "https://example.com/a.jpg"),
  ])
  func thumborsNames(path: String, folder: String, hosts: [String], name: String) throws {
    let request = try thumbor("/unsafe/\(path)") {
      ($0.unsafe, $0.folder, $0.hosts) = (true, folder, hosts)
    }
    #expect(request.source == name)
  }

  /// Unsupported features are refused by name.
  @Test(arguments: [
    ("trim/300x300/a.jpg", "trim"), ("trim:top-left:10/a.jpg", "trim"), ("debug/a.jpg", "debug"),
    ("10x10:20x20/9x9/smart/a.jpg", "AxB:CxD"), ("10x10:10x20/a.jpg", "no pixels"), ("10x10:x20/a.jpg", "four"),
    ("-300x200/a.jpg", "negative"), ("origx200/a.jpg", "orig"), ("filters:blur(3)/a.jpg", "blur"),
    // A value may have colons, and every part must be a filter.
    ("filters:focal(10x10:50x50)/a.jpg", "the filter focal is"),
    ("filters:quality(80):focal(10x10:50x50):format(webp)/a.jpg", "the filter focal is"),
    ("filters:quality(80):strip_exif(/a.jpg", "part that is not a filter"), ("filters:a/a.jpg", "not a filter"),
    ("filters:quality(80)strip_exif()/a.jpg", "quality"), ("filters:(9)/a.jpg", "the filter  is"),
    ("filters:format(gif)/a.jpg", "gif"), ("filters:quality(0)/a.jpg", "quality"), ("filters:quality/a.jpg", "quality"),
    ("9999999x1/a.jpg", "larger"), ("99999999999999999999x1/a.jpg", "larger"), ("300x300/", "name"),
    ("300x300///", "name"),
    ("300x300/%zz", "write % as %25"), ("300x300/a%00.jpg", "zero byte"),
  ])
  func refusesUnsupportedThumborFeatures(path: String, word: String) throws {
    let error = #expect(throws: ServiceError.self) { try thumbor("/unsafe/\(path)") }
    #expect(error?.kind == "invalid" && error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  /// Formats that follow the image or the client may have a quality, and thumbor ignores one that has no effect.
  @Test func qualitiesThatMayHaveAnEffect() throws {
    for file in ["5", "5.jpg", "5.webp", "5.auto"] {
      #expect(try own("/crop/avatar/\(file)", "src=a&quality=80").quality == 80)
    }
    #expect(try thumbor("/unsafe/9x9/filters:format(png):quality(80)/a.jpg").quality == 80)
  }

  /// The signature covers everything after it, to the byte, and only once.
  @Test func thumborsSignatures() throws {
    func with(_ path: String, _ key: String) throws -> PictureRequest { try thumbor(path) { $0.thumborKeys = [key] } }
    let signed = "300x400/smart/a.jpg"
    let signature = Self.sha1(signed)
    #expect(try with("/\(signature)/\(signed)", Self.key).source == "a.jpg")
    for wrong in [
      "/\(signature)/301x400/smart/a.jpg", "/\(signature)/\(signed)x", "/\(signature)/\(signature)/\(signed)",
      "/\(signature.dropLast(4))/\(signed)", "//\(signed)", "/unsafe/\(signed)", "/unsafe/\(signature)/\(signed)",
      "/\(Self.sha1("b.jpg"))/\(signed)",
      // Other spellings of the same signature and the same URL, with which a CDN would keep the image again.
      "/\(signature.replacing("=", with: "%3D"))/\(signed)", "/\(signature.dropLast())/\(signed)",
      "/\(signature)=/\(signed)", "/\(signature.replacing("ng=", with: "nh="))/\(signed)",
      "/%51\(signature.dropFirst())/\(signed)",
      "/=\(signature)/\(signed)", "/\(signature)/\(signed)?", "/\(signature)/\(signed)#x", "/\(signature)//\(signed)",
    ] {
      #expect(throws: ServiceError.self, "\(wrong)") { try with(wrong, Self.key) }
    }
    #expect(throws: ServiceError.self) { try with("/\(signature)/\(signed)", "another key of sixteen") }
    // A new key can replace an old one.
    let keys = ["another key of sixteen", Self.key]
    let own = ThumborURL(path: "/\(signature)/\(signed)", settings: settings { $0.thumborKeys = keys })
    #expect(try own.request().signer == "thumbor-key 2")
    // Without a key every signature is wrong, even an empty key's.
    #expect(throws: ServiceError.self) { try thumbor("/\(signature)/\(signed)") { _ in } }
  }

  /// A path that begins with no endpoint and no signature is unknown, whatever keys the server has. A wrong signature
  /// is refused.
  @Test func pathsWithAPrefixAreUnknown() {
    func status(_ body: () throws -> PictureRequest) -> Int? {
      do {
        _ = try body()
        return nil
      } catch {
        return (error as? ServiceError)?.status.code
      }
    }
    let wrong = Self.sha1("b.jpg")
    for keys in [[], [Self.key]] {
      let set = { (settings: inout Settings) in (settings.thumborKeys, settings.signingKeys) = (keys, keys) }
      for path in [
        "/avatar/160.jpg?src=a.jpg&sig=x", "/wrong/crop/avatar/100.webp?src=a.jpg", "/images/crop/avatar/9?src=a",
        "//crop/avatar/100.webp?src=a", "/\(wrong)x/a.jpg", "/\(wrong.dropLast(2))/a.jpg", "/%zz/a.jpg",
        "/\(wrong.replacing("X", with: "."))/a.jpg",
      ] {
        #expect(status { try thumbor(path, set) } == 404, "\(path)")
      }
      for path in ["/\(wrong)/a.jpg", "/\(wrong.dropLast())/a.jpg", "/unsafe/a.jpg"] {
        #expect(status { try thumbor(path, set) } == 403, "\(path)")
      }
      for path in ["//crop/avatar/100.webp", "/images/crop/avatar/100.webp", "//meta/blur", "//blur"] {
        #expect(status { try own(path, "src=a.jpg&sig=x", set) } == 404, "\(path)")
      }
      #expect(status { try own("/crop/avatar/100.webp", "src=a.jpg&sig=x", set) } == 403)
    }
  }

  /// Browsers escape an apostrophe in the query after a client signed it. Nothing else may differ from the signed text.
  @Test func apostrophesCanBeEscapedAfterSigning() throws {
    func source(_ signed: String, sent: String) -> String? {
      let path = "/crop/avatar/64.webp"
      let signature = Signature.own(of: "\(path)?\(signed)", key: Self.key)
      return try? own(path, "\(sent)&sig=\(signature)") { $0.signingKeys = [Self.key] }.source
    }
    #expect(source("src=O'Neil%20('1').jpg", sent: "src=O%27Neil%20(%271%27).jpg") == "O'Neil ('1').jpg")
    #expect(source("src=O'Neil.jpg", sent: "src=O'Neil.jpg") == "O'Neil.jpg")
    #expect(source("src=O%27Neil.jpg", sent: "src=O%27Neil.jpg") == "O'Neil.jpg")
    for (signed, sent) in [
      ("src=a&quality=5", "src=a%26quality=5"), ("src=a'&quality=5", "src=a%27%26quality=5"), ("src=a'", "src=a%2527"),
      ("src=%2527", "src=%27"), ("src=a b", "src=a%20b"), ("src=a'b", "src=ab"), ("src=a'b", "src=a%22b"),
      ("src=%'", "src=%%27"), ("src=%2'7", "src=%2%277"), ("src=a", "src=a%27"),
      // A browser escapes all or none.
      ("src=O'N'", "src=O%27N'"), ("src=O'N'", "src=O'N%27"),
    ] {
      #expect(source(signed, sent: sent) == nil, "\(sent)")
    }
    // openssl dgst -sha1 -hmac KEY -binary | basenc --base64url
    let signature = "o7hKk4aAj3X8mHm8e5y4nkshhNw="
    let images: [(String, String?)] = [
      ("a.jpg?n=O%27N", "a.jpg?n=O'N"), ("a.jpg?n=O'N", "a.jpg?n=O'N"), ("a%27.jpg?n=O'N", nil),
    ]
    for (sent, image) in images {
      let found = try? thumbor("/\(signature)/https://h/\(sent)") { $0.thumborKeys = [Self.key] }
      #expect(found?.source == image.map { "https://h/\($0)" })
    }
  }

  @Test(arguments: [
    ("/crop/avatar/512.webp", "src=a.jpg", "a.jpg", 512, 512, PictureRequest.Format.named(.webp), Framing.avatar),
    ("/crop/portrait/400x500", "src=b%2Fc.jpg", "b/c.jpg", 400, 500, .own, .portrait),
    ("/crop/tight/64.auto", "src=https%3A%2F%2Fa.b%2Fc", "https://a.b/c", 64, 64, .accepted, .tight),
  ])
  func ownPaths(
    path: String, query: String, source: String, width: Int, height: Int, format: PictureRequest.Format,
    framing: Framing
  ) throws {
    let request = try own(path, query)
    #expect(request.source == source)
    #expect((request.width, request.height) == (width, height))
    #expect(request.format == format)
    #expect(!request.isMeta && !request.allowsUpscaling)
    guard case .faces(let crop) = request.part else { throw ServiceError.invalidQuery("no faces") }
    var shaped = framing
    if width != height { shaped.aspect = AspectRatio(width: 400, height: 500) }
    #expect(crop.composition.layout == .framing(shaped))
    #expect(try own(path.replacing("/crop/", with: "/meta/"), query).isMeta)
  }

  @Test func lyingImagesCanBeRotated() throws {
    for (query, policy) in [("src=a", UprightPolicy.off), ("src=a&upright=auto", .auto), ("src=a&upright=off", .off)] {
      guard case .faces(let crop) = try own("/crop/avatar/64.jpg", query).part else {
        Issue.record("the request crops to no face")
        return
      }
      #expect(crop.search.upright == policy)
    }
  }

  @Test func onlyTheLargestFacesCount() throws {
    guard case .faces(let crop) = try own("/crop/avatar/64.jpg", "src=a&max-faces=3").part else {
      Issue.record("the request crops to no face")
      return
    }
    #expect(crop.search.mostFaces == 3)
    #expect(throws: ServiceError.self) { try own("/crop/avatar/64.jpg", "src=a&max-faces=0") }
  }

  @Test func framesCanBeFilled() throws {
    for (text, fill) in [("edge", PadFill.edge), ("blur", .blur), ("336699", .color(red: 51, green: 102, blue: 153))] {
      guard case .faces(let crop) = try own("/crop/avatar/64.jpg", "pad=\(text)&src=a").part else {
        Issue.record("no crop around faces")
        return
      }
      #expect(crop.composition.layout.edge == .pad && crop.output.fill == fill)
      #expect(crop.composition.layout.framing?.largestPaddedShare == 1)
      guard case .faces(let limited) = try own("/crop/avatar/64.jpg", "max-pad=0.25&pad=\(text)&src=a").part else {
        Issue.record("no crop around faces")
        return
      }
      #expect(limited.composition.layout.framing?.largestPaddedShare == 0.25)
    }
    for (path, query) in [
      ("/crop/avatar/64.jpg", "pad=red"), ("/crop/crop/64.jpg", "pad=edge"), ("/crop/fill/64.jpg", "pad=edge"),
      ("/crop/avatar/64.jpg", "pad=edge&template=dlib-150"), ("/crop/avatar/64.jpg", "max-pad=0.1"),
      ("/crop/avatar/64.jpg", "pad=edge&max-pad=1.1"), ("/crop/avatar/64.jpg", "pad=edge&max-pad=x"),
      ("/crop/avatar/64.jpg", "pad=edge&max-pad=0x1p-2"),
    ] {
      #expect(throws: ServiceError.self) { try own(path, "src=a&\(query)") }
    }
  }

  @Test func animationsCanBeKept() throws {
    for (path, query, policy, keeps) in [
      ("/crop/avatar/64", "src=a", AnimationPolicy.first, false),
      ("/crop/avatar/64.jpg", "src=a&animation=best", .best, false),
      ("/crop/avatar/64.gif", "src=a&animation=keep", .keep, true),
      ("/crop/avatar/64.webp", "src=a&animation=keep", .keep, true),
      ("/crop/avatar/64.auto", "animation=keep&src=a", .keep, true),
      ("/meta/avatar/64.webp", "src=a&animation=keep", .keep, true),
    ] {
      let request = try own(path, query)
      guard case .faces(let crop) = request.part else { throw ServiceError.invalidQuery("no faces") }
      #expect(crop.search.animation == policy && request.keepsFrames == keeps)
    }
  }

  @Test func facesCanBeAlignedToATemplate() throws {
    guard case .faces(let crop) = try own("/crop/crop/112x112.png", "src=a&template=arcface-112").part else {
      Issue.record("the request crops to no face")
      return
    }
    #expect(crop.composition == Composition(.template(.arcFace112)))
    #expect(crop.search.faces == .prominent && crop.search.noFace == .fail)
  }

  /// The same options exclude each other as in the command. Those of the preset do not count.
  @Test(arguments: [
    ("faces=tagged", "faces=tagged has no effect"), ("faces=union", "faces=union has no effect"),
    ("align=true", "(leave out align or template)"), ("no-face=whole", "no-face=whole has no effect"),
    ("align=false", nil), ("faces=sharpest", nil), ("no-face=maybe", nil), ("person=Ada", nil), ("upright=auto", nil),
  ])
  func templatesExcludeOptions(option: String, words: String?) throws {
    for preset in ["crop", "avatar", "passport:us"] {
      for query in ["src=a&\(option)&template=arcface-112", "template=arcface-112&\(option)&src=a"] {
        for kind in ["crop", "meta"] {
          guard let words else {
            _ = try own("/\(kind)/\(preset)/112.png", query)
            continue
          }
          let error = #expect(throws: ServiceError.self) { try own("/\(kind)/\(preset)/112.png", query) }
          #expect(error?.status == .badRequest && error?.message.contains(words) == true, "\(query)")
        }
      }
    }
  }

  @Test(arguments: [
    ("/crop/avatar", "src=a"), ("/crop/avatar/0.jpg", "src=a"), ("/crop/avatar/5000", "src=a"),
    ("/crop/avatar/1x2x3", "src=a"), ("/crop/star/5", "src=a"), ("/crop/avatar/5.bmp", "src=a"),
    ("/crop/avatar/5", nil),
    ("/crop/avatar/5", "src=a&src=b"), ("/crop/avatar/5", "src=a&x=1"), ("/crop/avatar/5", "src=a&quality=0"),
    ("/crop/avatar/5.png", "src=a&quality=80"), ("/crop/avatar/5.gif", "src=a&quality=80"),
    ("/meta/avatar/5.png", "src=a&quality=80"),
    ("/crop/avatar/5", "src=%ff"), ("/crop/avatar/5", "src=a&no-face=skip"), ("/crop/avatar/5", "src=a&upright=yes"),
    ("/crop/avatar/5", "src=a&mesh=1"),
    ("/crop/avatar/5", "src=a&template=mine.json"), ("/crop/avatar/5", "src=a&animation=all"),
    ("/crop/avatar/5.jpg", "src=a&animation=keep"), ("/crop/avatar/5.png", "src=a&animation=keep"),
    ("/meta/avatar/5.jpg", "src=a&animation=keep"), ("/crop/fill/16x9", "src=a&align=true"),
    ("/meta/social-facebook/5", "align=true&src=a"),
    ("/crop/avatar/5/6", "src=a"),
    ("/crop/avatar/5", "src"), ("/crop/avatar/5", "src=a&exp=soon"), ("/crop/avatar/5", "src=a&exp=253402300800"),
  ])
  func ownPathsThatAreNone(path: String, query: String?) throws {
    let error = #expect(throws: ServiceError.self) { try own(path, query) }
    #expect(error?.status == .badRequest, "\(error.map { $0.message } ?? "")")
  }

  /// A value that takes no fractions says so.
  @Test func wholeNumbersAreNamed() {
    func message(_ body: () throws -> PictureRequest) -> String {
      do {
        _ = try body()
        return ""
      } catch {
        return (error as? ServiceError)?.message ?? "\(error)"
      }
    }
    let quality = "quality must be a whole number from 1 to 100, not '80.5'"
    #expect(message { try own("/crop/avatar/64", "src=a&quality=80.5") } == quality)
    #expect(message { try own("/blur", "src=a&quality=80.5") } == quality)
    #expect(message { try thumbor("/unsafe/64x64/filters:quality(80.5)/a") } == quality)
    #expect(message { try thumbor("/unsafe/10x20:30x9999999999999999999/a") }.contains("four whole numbers"))
    #expect(message { try own("/crop/avatar/64", "src=a&exp=9.5") }.contains("whole seconds"))
    #expect(message { try own("/crop/avatar/64", "src=a&exp=1795892417000") }.contains("divide milliseconds"))
    #expect(message { try own("/crop/avatar/64", "src=a&exp=253402300799") } == "")
    #expect(message { try own("/blur", "src=a&margin=x") }.contains("margin must be a number from 0 to 2"))
  }

  @Test func ownSignatures() throws {
    func with(_ path: String, _ query: String) throws -> PictureRequest {
      try own(path, query) { $0.signingKeys = [Self.key] }
    }
    let (path, query) = ("/crop/avatar/512.webp", "src=a.jpg&exp=1001")
    let signature = Signature.own(of: "\(path)?\(query)", key: Self.key)
    #expect(try with(path, "\(query)&sig=\(signature)").source == "a.jpg")
    var wrong: [(String, String)] = [
      (path, query), (path, "sig=\(signature)&\(query)"), (path, "\(query)&sig=\(signature)&quality=5"),
      (path, "src=b.jpg&exp=1001&sig=\(signature)"), ("/crop/avatar/513.webp", "\(query)&sig=\(signature)"),
      ("/meta/avatar/512.webp", "\(query)&sig=\(signature)"), (path, "\(query)&sig="),
      (path, "src=a.jpg&sig=\(signature)"),
      (path, "\(query)&quality=1&sig=\(signature)"), (path, "\(query)&sig=\(signature)&sig=\(signature)"),
      // Other spellings of the same signature, with which a CDN would keep the image again.
      (path, "\(query)&sig=\(signature)="), (path, "\(query)&sig==\(signature)"),
      (path, "\(query)&sig=\(signature)%3D"),
      (path, "\(query)&sig=%\(Hexadecimal.text([signature.utf8.first!]))\(signature.dropFirst())"),
    ]
    wrong += Self.otherSpellings(of: signature).map { (path, "\(query)&sig=\($0)") }
    for (path, query) in wrong {
      #expect(throws: ServiceError.self, "\(path)?\(query)") { try with(path, query) }
    }
    let keys = ["another key of sixteen", Self.key]
    let second = OwnURL(
      path: path, query: "\(query)&sig=\(signature)", settings: settings { $0.signingKeys = keys }, now: 1_000)
    #expect(try second.request().signer == "signing-key 2")
    let late = "src=a.jpg&exp=1000"
    let error = #expect(throws: ServiceError.self) {
      try with(path, "\(late)&sig=\(Signature.own(of: "\(path)?\(late)", key: Self.key))")
    }
    #expect(error?.kind == "forbidden" && error?.message.contains("1000") == true)
  }

  /// Returns texts that Base64 decodes to the same bytes.
  private static func otherSpellings(of signature: String) -> [String] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let last = digits.firstIndex(of: signature.utf8.last!)!
    let plain = signature.replacing("-", with: "+").replacing("_", with: "/")
    let half = signature.index(signature.startIndex, offsetBy: 20)
    // The last of 43 digits has two bits that no byte has.
    let bits = (1..<4).map { String(signature.dropLast()) + String(UnicodeScalar(digits[last ^ $0])) }
    return bits + ["\(signature[..<half])=\(signature[half...])"] + (plain == signature ? [] : [plain])
  }

  /// A client that joins path, query and signature may leave the query empty.
  @Test(arguments: ["", "&"]) func uploadsWithoutOptions(joint: String) throws {
    let path = "/crop/avatar/512.webp"
    func upload(_ query: String) throws -> PictureRequest {
      try OwnURL(
        path: path, query: query, settings: settings { $0.signingKeys = [Self.key] }, hasBody: true, now: 1_000
      )
      .request().picture
    }
    let signature = Signature.own(of: "\(path)?", key: Self.key)
    #expect(try upload("\(joint)sig=\(signature)").width == 512)
    for wrong in ["&\(joint)sig=\(signature.dropLast())", "&&\(joint)sig=\(signature)", "sig=\(signature)&", "&", ""] {
      #expect(throws: ServiceError.self, "\(wrong)") { try upload(wrong) }
    }
  }

  /// A new background is part of the crop, and so of its key in the cache.
  @Test func backgroundsAreRead() throws {
    let settings = Settings.patient { $0.unsafe = true }
    func crop(_ query: String, _ preset: String = "passport") throws -> Background? {
      let url = OwnURL(path: "/crop/\(preset)/64.png", query: "src=a.jpg\(query)", settings: settings)
      guard case .faces(let crop) = try url.request().picture.part else { return nil }
      return crop.output.background
    }
    #expect(try crop("") == nil)
    #expect(try crop("&bg=white") == Background(.color(.white)))
    #expect(try crop("&bg=blur:5") == Background(.blur(0.05)))
    let gray = BackgroundColor(red: 0xD3, green: 0xD3, blue: 0xD3)
    #expect(try crop("&bg=required", "visa:us") == Background(.color(.white)))
    #expect(try crop("&bg=required", "passport:fr") == Background(.color(gray)))
    for none in ["avatar", "passport", "passport:nz"] {
      #expect { try crop("&bg=required", none) } throws: { "\($0)".contains("passport:us") }
    }
    #expect(
      try crop("&bg=transparent&keep-people=true&fail-if-unsure=true")
        == Background(.transparent, keepsPeople: true, failsIfUnsure: true))
    for wrong in ["&bg=", "&bg=red", "&bg=wall.jpg", "&bg=/etc/passwd", "&keep-people=true", "&bg=white&keep-people=1"]
    {
      #expect(throws: ServiceError.self, "\(wrong)") { try crop(wrong) }
    }
  }

  /// A circle in a JPEG would have white corners.
  @Test(arguments: [
    ("/crop/avatar/64.jpg", false), ("/crop/avatar/64", true), ("/crop/avatar/64.png", true),
    ("/crop/avatar/64.gif", true), ("/crop/avatar/64.auto", true), ("/meta/avatar/64", true),
    ("/meta/avatar/64.jpg", false), ("/crop/pass%3/64.png", false),
  ])
  func circlesNeedTransparency(path: String, isRead: Bool) throws {
    for option in ["shape=circle", "bg=transparent"] {
      let url = OwnURL(path: path, query: "src=a.jpg&\(option)", settings: .patient { $0.unsafe = true })
      #expect(((try? url.request()) != nil) == isRead, "\(option)")
    }
  }

  /// Any input is parsed within bounds or refused.
  @Test func anythingIsReadOrRefused() {
    var lots = SplitMix(state: 7)
    let seeds = [
      "/unsafe/300x400/smart/filters:format(webp):quality(80)/a.jpg",
      "/unsafe/meta/fit-in/0x0/left/top/https%3A%2F%2Fa",
      "/unsafe/trim:top-left:10/10x10:20x20/-1x-2/a", "/crop/avatar/512.webp?src=a.jpg&quality=80&exp=99&sig=AAAA",
      "/meta/portrait/400x500?src=%E2%82%AC&shape=circle&faces=union&no-face=fail&align=true&upright=auto",
      "/unsafe/rs:fill:300:400:1:0/g:obj:face/dpr:1.5/exp:99999999999/q:80/plain/https%3A%2F%2Fa@webp",
      "/unsafe/s:300:400/g:nowe:0:0/cb:v2/aHR0cHM6Ly9leGFtcGxlLmNvbS9hLmpwZw.png",
      "/blur?src=a.jpg&mode=pixelate&shape=head&margin=0.5&except=1,30&min-face=5%25&keep-location=true&format=webp",
    ]
    let parts = [
      "/", "x", ":", "(", ")", "%", "%2", "&", "=", "?", "..", "\u{0}", "é", "9999999999999999999", "-", "src=",
    ]
    for round in 0..<40_000 {
      var text = Array(seeds[round % seeds.count])
      for _ in 0..<Int.random(in: 1...4, using: &lots) {
        let place = Int.random(in: 0...text.count, using: &lots)
        switch Int.random(in: 0..<3, using: &lots) {
        case 0 where place < text.count: text.remove(at: place)
        case 1: text.insert(contentsOf: parts.randomElement(using: &lots)!, at: place)
        default: text = Array(text[..<place]) + text[Int.random(in: 0...text.count, using: &lots)...]
        }
      }
      let split = String(text).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let settings = Settings.patient { $0.unsafe = true }
      let requests = [
        try? ThumborURL(path: String(text), settings: settings).request().picture,
        try? ImgproxyURL(path: String(text), settings: settings).request().picture,
        try? OwnURL(path: split.first ?? "", query: split.count > 1 ? split[1] : nil, settings: settings).request()
          .picture,
      ]
      for request in requests.compactMap({ $0 }) {
        let sides = [request.width, request.height].compactMap { $0 }
        #expect(sides.allSatisfy { (1...settings.largestSide).contains($0) } && !request.source.isEmpty)
        #expect(!request.source.utf8.contains(0))
        #expect((0...2).contains(request.blur?.margin ?? 0))
      }
    }
  }

  private static func sha1(_ text: String) -> String {
    // openssl dgst -sha1 -hmac KEY -binary | basenc --base64url
    ["300x400/smart/a.jpg": "QkGCh3xFiRldNmYCgOZ8Ajui0ng=", "b.jpg": "Xe_pQDJiWBEg0yLs2eR4O-xUPUI="][text]!
  }
}

/// A generator of the same numbers in each run (S. Vigna, splitmix64, 2015).
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
