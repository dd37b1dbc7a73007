import FaceCrop
import Testing

@testable import FaceCropServer

/// Parsing of `/blur` and `/meta/blur`.
@Suite struct BlurURLTests {
  private static let key = "a key of sixteen or more"

  private func request(
    _ query: String?, path: String = "/blur", hasBody: Bool = false, key: String? = nil
  ) throws -> PictureRequest {
    var settings = Settings()
    settings.unsafe = key == nil
    settings.signingKeys = key.map { [$0] } ?? []
    return try OwnURL(path: path, query: query, settings: settings, hasBody: hasBody, now: 1_000).request().picture
  }

  /// The defaults are those of the command.
  @Test func theWholeImageIsTheDefault() throws {
    let plain = PictureRequest(source: "a b.jpg", part: .whole(covers: false), blur: BlurRequest())
    #expect(try request("src=a%20b.jpg") == plain)
    #expect(plain.format == .own && plain.quality == nil && !plain.keepsFrames)
    var meta = plain
    meta.isMeta = true
    #expect(try request("src=a%20b.jpg&exp=1001", path: "/meta/blur") == meta)
    var upload = plain
    upload.source = ""
    #expect(try request(nil, hasBody: true) == upload)
    #expect(try request("", hasBody: true) == upload)
  }

  @Test(arguments: [
    ("mode=pixelate", BlurRequest(mode: .pixelate)), ("mode=solid", BlurRequest(mode: .solid)),
    ("shape=box", BlurRequest(shape: .box)), ("shape=head", BlurRequest(shape: .head)),
    ("margin=0", BlurRequest(margin: 0)), ("margin=2", BlurRequest(margin: 2)),
    ("faces=1", BlurRequest(faces: .only([1]))), ("faces=3,1,3", BlurRequest(faces: .only([1, 3]))),
    ("except=2", BlurRequest(faces: .except([2]))), ("except=2%2C4", BlurRequest(faces: .except([2, 4]))),
    ("min-face=80", BlurRequest(smallestFace: .pixels(80))),
    ("min-face=2.5%25", BlurRequest(smallestFace: .fraction(0.025))),
    ("metadata=copyright", BlurRequest(metadata: .copyright)), ("metadata=strip", BlurRequest(metadata: .strip)),
    ("keep-location=true", BlurRequest(keepsLocation: true)), ("keep-location=false", BlurRequest()),
    (
      "min-face=5%25&except=1&margin=0.3&shape=head&mode=pixelate&metadata=keep&keep-location=true",
      BlurRequest(
        mode: .pixelate, shape: .head, margin: 0.3, faces: .except([1]), smallestFace: .fraction(0.05),
        keepsLocation: true)
    ),
  ])
  func options(query: String, blur: BlurRequest) throws {
    #expect(try request("src=a.jpg&\(query)").blur == blur)
    #expect(try request("\(query)&src=a.jpg", path: "/meta/blur").blur == blur)
    #expect(try request(query, hasBody: true).blur == blur)
  }

  @Test func formatsAndQualities() throws {
    for (query, format, quality) in [
      ("format=jpg", PictureRequest.Format.named(.jpeg), nil), ("format=png", .named(.png), nil),
      ("format=webp&quality=70", .named(.webp), 70), ("format=auto", .accepted, nil), ("quality=1", .own, 1),
    ] {
      let request = try request("src=a.jpg&\(query)")
      #expect(request.format == format && request.quality == quality && request.blur == BlurRequest(), "\(query)")
    }
  }

  /// The message names the fault.
  @Test(arguments: [
    ("", "src is missing"), ("src=", "src is missing"), ("src=a&mode=none", "mode"), ("src=a&mode=", "mode"),
    ("src=a&mode=image", "blur, pixelate or solid"), ("src=a&image=mask.png", "unknown name 'image'"),
    ("src=a&shape=circle", "shape"), ("src=a&margin=2.1", "margin"), ("src=a&margin=-1", "margin"),
    ("src=a&margin=nan", "margin"), ("src=a&margin=0x1p0", "margin"), ("src=a&margin=x", "margin"),
    ("src=a&faces=0", "faces"),
    ("src=a&faces=largest", "faces"), ("src=a&faces=1,", "faces"), ("src=a&faces=", "faces"),
    ("src=a&except=-1", "except"), ("src=a&faces=1&except=2", "exclude"), ("src=a&except=2&faces=1", "exclude"),
    ("src=a&min-face=0", "min-face"), ("src=a&min-face=5%", "write % as %25"), ("src=a&min-face=101%25", "min-face"),
    ("src=a&format=gif", "format"), ("src=a&format=tiff", "format"), ("src=a&quality=0", "quality"),
    ("src=a&metadata=all", "metadata"), ("src=a&keep-location=yes", "keep-location"),
    ("src=a&metadata=strip&keep-location=true", "metadata=keep"), ("src=a&no-face=fail", "unknown name 'no-face'"),
    ("src=a&animation=keep", "unknown name 'animation'"), ("src=a&bg=white", "unknown name 'bg'"),
    ("src=a&src=b", "'src' twice"), ("src=a&mode=blur&mode=solid", "'mode' twice"), ("src", "name=value"),
    ("src=%zz.jpg", "two hexadecimal digits"), ("src=a%2", "two hexadecimal digits"), ("src=%ff", "UTF-8"),
    ("src=a&format=png&quality=80", "quality has no effect on PNG"), ("src=a&exp=soon", "exp"),
  ])
  func wrongQueries(query: String, word: String) throws {
    let error = #expect(throws: ServiceError.self) { try request(query) }
    #expect(error?.status == .badRequest)
    #expect(error?.message.contains(word) == true, "\(error.map { $0.message } ?? "")")
  }

  /// Options of hidden faces are no options of crops, and the image is not in the path.
  @Test(arguments: [
    ("/blur/a.jpg", ""), ("/blur/", "src=a"), ("/blur.webp", "src=a"), ("/meta/blur/", "src=a"),
    ("/meta/blur/64", "src=a"), ("/crop/blur/64", "src=a"), ("/crop/avatar/64", "src=a&mode=solid"),
    ("/crop/avatar/64", "src=a&min-face=5"), ("/crop/avatar/64", "src=a&format=webp"),
  ])
  func wrongPaths(path: String, query: String) throws {
    let error = #expect(throws: ServiceError.self) { try request(query, path: path) }
    #expect(error?.status == .badRequest)
  }

  @Test func bodiesHaveNoSource() throws {
    #expect(throws: ServiceError.self) { try request("src=a.jpg", hasBody: true) }
  }

  /// The signature covers the path and all options.
  @Test func signatures() throws {
    let query = "src=a.jpg&except=1&exp=1001"
    let signature = Signature.own(of: "/blur?\(query)", key: Self.key)
    #expect(try request("\(query)&sig=\(signature)", key: Self.key).blur == BlurRequest(faces: .except([1])))
    for (path, query) in [
      ("/blur", query), ("/blur", "src=a.jpg&except=2&exp=1001&sig=\(signature)"),
      ("/blur", "src=a.jpg&exp=1001&sig=\(signature)"), ("/blur", "\(query)&mode=pixelate&sig=\(signature)"),
      ("/blur", "\(query)&sig=\(signature)&except=2"), ("/meta/blur", "\(query)&sig=\(signature)"),
      ("/blur/", "\(query)&sig=\(signature)"),
    ] {
      let error = #expect(throws: ServiceError.self) { try request(query, path: path, key: Self.key) }
      #expect([.forbidden, .badRequest].contains(error?.status), "\(path)?\(query)")
    }
    let late = "src=a.jpg&exp=1000"
    let error = #expect(throws: ServiceError.self) {
      try request("\(late)&sig=\(Signature.own(of: "/blur?\(late)", key: Self.key))", key: Self.key)
    }
    #expect(error?.status == .forbidden)
  }
}
