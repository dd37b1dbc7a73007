import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FaceCropServer

/// URLs in imgproxy's dialect.
struct ImgproxyTests {
  /// The key and the salt of the examples in imgproxy's documentation.
  private static let key =
    "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
    + ":520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"
  private static let signed = "/rs:fill:300:400/g:obj:face/plain/a.jpg"
  // (printf %s "$SALT" | xxd -r -p; printf %s "$PATH") | openssl dgst -sha256 -mac HMAC -macopt hexkey:$KEY -binary |
  //   basenc --base64url | tr -d =
  private static let signature = "E0K0U-WEK6rTS3ZAO3Q98_QEd_C4it3UR2q674Rd4gs"

  private func read(
    _ path: String, _ change: (inout Settings) -> Void = { $0.unsafe = true }
  ) throws -> SignedRequest {
    var settings = Settings()
    change(&settings)
    return try ImgproxyURL(path: path, settings: settings, now: 1_000).request()
  }

  @Test(arguments: [
    (
      "rs:fit:300:400/plain/a.jpg",
      PictureRequest(source: "a.jpg", part: .whole(covers: false), width: 300, height: 400)
    ),
    ("rs:fill:300:400/g:obj:face/plain/a.jpg", PictureRequest(source: "a.jpg", part: .smart, width: 300, height: 400)),
    ("g:sm/resize:fill-down:30:40/plain/a.jpg", PictureRequest(source: "a.jpg", part: .smart, width: 30, height: 40)),
    ("w:300/plain/a.jpg", PictureRequest(source: "a.jpg", part: .whole(covers: false), width: 300)),
    (
      "size:300:0:1:0/q:80/plain/a.jpg@webp",
      PictureRequest(
        source: "a.jpg", part: .whole(covers: false), width: 300, allowsUpscaling: true, format: .named(.webp),
        quality: 80)
    ),
    (
      "rt:fill/s:30:40/dpr:1.5/gravity:nowe:0:0/plain/a.jpg",
      PictureRequest(source: "a.jpg", part: .aligned(horizontal: 0, vertical: 0), width: 45, height: 60)
    ),
    (
      "rs:fill:30:40/f:png/cb:v2/sm:1/ar:t/plain/https%3A%2F%2Fexample.com%2Fa%40b%20c.jpg%3Fv=2@jpg",
      PictureRequest(
        source: "https://example.com/a@b c.jpg?v=2", part: .aligned(horizontal: 0.5, vertical: 0.5), width: 30,
        height: 40,
        format: .named(.jpeg))
    ),
    // printf https://example.com/a.jpg | basenc --base64url
    (
      "rs:fit::400/aHR0cHM6Ly9leGFt/cGxlLmNvbS9hLmpwZw.avif",
      PictureRequest(
        source: "https://example.com/a.jpg", part: .whole(covers: false), height: 400, format: .named(.avif))
    ),
    ("el:1/el:0/plain/local:///b/c.jpg", PictureRequest(source: "b/c.jpg", part: .whole(covers: false))),
    ("w:4000/dpr:3/plain/a.jpg", PictureRequest(source: "a.jpg", part: .whole(covers: false), width: 4_096)),
    (
      "w:1/dpr:0.1/plain/s3://bucket/a.jpg",
      PictureRequest(source: "s3://bucket/a.jpg", part: .whole(covers: false), width: 1)
    ),
    ("f:auto/plain/a.jpg", PictureRequest(source: "a.jpg", part: .whole(covers: false), format: .accepted)),
  ])
  func paths(path: String, picture: PictureRequest) throws {
    #expect(ImgproxyURL.isOne("/unsafe/\(path)"))
    #expect(try read("/unsafe/\(path)").picture == picture)
  }

  /// Unsupported options are refused by name, some with the words of this server.
  @Test(arguments: [
    ("rs:force:9:9/plain/a", "fit, fill or fill-down"), ("rs:auto:9:9/plain/a", "fill-down"),
    ("w:-1/plain/a", "0 to 4096"),
    ("w:99999/plain/a", "0 to 4096"), ("w:9:9/plain/a", "'9:9'"), ("rs:fit:9:9:0:1/plain/a", "option ex "),
    ("preset:sharp/plain/a", "/crop/PRESET/SIZE"), ("bd:5:face/plain/a", "/blur"), ("dd:1/plain/a", "/meta"),
    ("blur:3/plain/a", "option blur "), ("c:100:100/plain/a", "option c "), ("sm:0/plain/a", "sm must be 1"),
    ("g:obj:cat/plain/a", "obj:face"), ("g:fp:0.5:0.5/plain/a", "obj:face"), ("g:no:5:0/plain/a", "offset"),
    ("q:101/plain/a", "1 to 100"), ("f:jxl/plain/a", "format must be"), ("w:9/plain/a@bmp", "format must be"),
    ("dpr:0/plain/a", "dpr"), ("dpr:nan/plain/a", "dpr"), ("dpr:11/plain/a", "dpr"),
    ("dpr:0x1p1/plain/a", "dpr"), ("dpr:1e999/plain/a", "dpr"), ("g:no:0x0:0/plain/a", "offset"),
    ("exp:soon/plain/a", "whole seconds"),
    ("w:9/plain/a@b@png", "not an image"), ("w:9/plain/", "not an image"), ("w:9/plain/local:///", "not an image"),
    ("w:9/plain/%zz", "not an image"),
    ("w:9/plain/a%00", "not an image"), ("w:9/*.png", "not an image"), ("w:9/_w.png", "not an image"),
    ("w:9/enc/AAAA", "write plain/"), ("w:9/enc/YS5q/cGc.png", "write plain/"),
    ("w:9/https://example.com/a.jpg", "option https "),
  ])
  func refusesUnsupportedOptions(path: String, words: String) {
    let error = #expect(throws: ServiceError.self) { try read("/unsafe/\(path)") }
    #expect(error?.kind == "invalid" && error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  /// The signature covers everything after it, to the byte, with its salt and its key.
  @Test func signatures() throws {
    func status(_ path: String, _ keys: [String] = [Self.key]) -> Int {
      do {
        _ = try read(path) { $0.imgproxyKeys = keys }
        return 200
      } catch {
        return (error as? ServiceError)?.status.code ?? 0
      }
    }
    let path = "/\(Self.signature)\(Self.signed)"
    #expect(ImgproxyURL.isOne(path) && status(path) == 200)
    let otherSalt = Self.key.replacing(":52", with: ":53")
    #expect(try read(path) { $0.imgproxyKeys = [otherSalt, Self.key] }.signer == "imgproxy-key 2")
    #expect(status(path, [otherSalt]) == 403 && status(path, []) == 403)
    for wrong in [
      "\(path)x", "\(path)?v=2", path.replacing(":300", with: ":301"), "/\(Self.signature)=\(Self.signed)",
      "/\(Self.signature.replacing("gs", with: "gt"))\(Self.signed)", "/\(Self.signature)/\(Self.signed)",
      "/\(Self.signature)\(path)", "/unsafe\(Self.signed)",
    ] {
      #expect(status(wrong) == 403, "\(wrong)")
    }
    // An example of imgproxy's documentation, whose key is too short here.
    let short = Signature.imgproxysSigner(
      of: "rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
      "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8", keys: ["736563726574:68656C6C6F"])
    #expect(short == nil)
  }

  /// A signed URL needs no option.
  @Test func encryptedSourcesAreRefused() {
    let path = "/EfYO4dk3C_U3HT3t0Hf4ADUNG8iJFTy5Az6M8zPFCvU/enc/YS5qcGdx"
    #expect(ImgproxyURL.isOne(path))
    let error = #expect(throws: ServiceError.self) { try read(path) { $0.imgproxyKeys = [Self.key] } }
    #expect(error == ImgproxyURL.encryptedSource)
  }

  @Test func expiry() throws {
    #expect(try read("/unsafe/exp:1001/plain/a.jpg").end == 1_001)
    let error = #expect(throws: ServiceError.self) { try read("/unsafe/exp:1000/plain/a.jpg") }
    #expect(error?.kind == "forbidden")
  }

  /// Paths of both dialects are told apart.
  @Test func thumborsPathsStayThumbors() {
    for path in [
      "/unsafe/300x400/smart/a.jpg", "/unsafe/filters:format(webp)/a.jpg", "/unsafe/trim:top-left/a.jpg",
      "/unsafe/10x20:300x400/a.jpg", "/unsafe/https://example.com/a.jpg", "/unsafe/plain/a.jpg",
      "/QkGCh3xFiRldNmYCgOZ8Ajui0ng=/300x400/smart/a.jpg", "/w:300/plain/a.jpg", "/unsafe", "",
    ] {
      #expect(!ImgproxyURL.isOne(path), "\(path)")
    }
  }

  @Test(arguments: [
    (key, true), ("\(key)0", false), ("00:00", false), (key.replacing(":", with: ""), false),
    (key.replacing("9", with: "g"), false), ("\(key):00", false), (String(repeating: "0", count: 32) + ":", true),
  ])
  func keysAreHexadecimal(key: String, isRead: Bool) {
    #expect((Signature.imgproxyKey(key) != nil) == isRead)
    let fault = try? Settings(file: nil, environment: ["FACECROP_IMGPROXY_KEY": key], arguments: [])
    #expect((fault?.imgproxyKeys == [key]) == isRead)
  }

  /// The response is that of thumbor's URL for the same operation.
  @Test(.timeLimit(.minutes(5))) func responses() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "imgproxy-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Pictures.astronaut).write(to: folder.appending(path: "a.jpg"))
    let settings = Settings.patient {
      $0.folder = folder.path
      $0.imgproxyKeys = [Self.key]
    }
    try await Server(settings).application.test(.live) { client in
      let ours = try await client.execute(uri: "/\(Self.signature)\(Self.signed)", method: .get)
      let thumbors = try await client.execute(
        uri: "/unsafe/300x400/smart/filters:no_upscale()/a.jpg", method: .get)
      #expect(ours.status == .ok && ours.headers[.eTag] == thumbors.headers[.eTag])
      let refused = try await client.execute(uri: "/unsafe/bl:5/plain/a.jpg", method: .get)
      #expect(refused.status == .badRequest)
      let unknown = try await client.execute(uri: "/unsafe/w:64/plain/b.jpg", method: .get)
      #expect(unknown.status == .notFound)
    }
  }
}
