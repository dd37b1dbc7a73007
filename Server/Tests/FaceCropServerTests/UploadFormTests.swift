import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FaceCropServer

/// Forms with files, unsupported methods, and the privacy of responses.
@Suite struct UploadFormTests {
  private static func form(_ parts: [(head: String, bytes: [UInt8])], boundary: String = "x-1") -> [UInt8] {
    parts.flatMap { Array("--\(boundary)\r\n\($0.head)\r\n\r\n".utf8) + $0.bytes + Array("\r\n".utf8) }
      + Array("--\(boundary)--\r\n".utf8)
  }

  private static let file =
    "Content-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg"
  /// A browser's part for a field without a chosen file.
  private static let unchosen =
    "Content-Disposition: form-data; name=\"photo\"; filename=\"\"\r\nContent-Type: application/octet-stream"
  private static let text = "Content-Disposition: form-data; name=\"title\""

  @Test func theFileOfAFormIsTheImage() async throws {
    let forms = [
      Self.form([(Self.file, Pictures.astronaut)]),
      Self.form([(Self.text, Array("Me".utf8)), (Self.unchosen, []), (Self.file, Pictures.astronaut)]),
      Self.form([(Self.file, Pictures.astronaut), (Self.text, Array("Me".utf8)), (Self.file, [1, 2, 3])]),
    ]
    try await Server().application.test(.live) { client in
      let plain = try await client.avatar("64.jpg")
      #expect(plain.headers[.cacheControl] == "private, no-store")
      for form in forms {
        for type in ["multipart/form-data; boundary=x-1", "Multipart/Form-Data;charset=utf-8; boundary=\"x-1\""] {
          let sent = try await client.execute(
            uri: "/crop/avatar/64.jpg", method: .post, headers: [.contentType: type], body: ByteBuffer(bytes: form))
          #expect(sent.status == .ok, "\(String(buffer: sent.body))")
          #expect(sent.headers[.cacheControl] == "private, no-store")
          #expect(sent.body == plain.body)
        }
      }
    }
  }

  @Test(arguments: [
    ("multipart/form-data", Self.form([(Self.file, [1])])),
    ("multipart/form-data; boundary=", Self.form([(Self.file, [1])])),
    ("multipart/form-data; boundary=other", Self.form([(Self.file, [1])])),
    ("multipart/form-data; boundary=x-1", Self.form([(Self.text, [1])])),
    ("multipart/form-data; boundary=x-1", Self.form([(Self.unchosen, [])])),
    ("multipart/form-data; boundary=x-1", Array("--x-1--".utf8)),
    ("multipart/form-data; boundary=\(String(repeating: "x", count: 71))", []),
    (
      "multipart/form-data; boundary=x-1",
      Self.form(Array(repeating: (Self.text, [1]), count: 100) + [(Self.file, [1])])
    ),
  ])
  func formsWithoutAFileAre400(type: String, body: [UInt8]) throws {
    var bytes = body
    let error = #expect(throws: ServiceError.self) { try MultipartBody.keepFile(in: &bytes, contentType: type) }
    #expect(error?.message.contains("ends early") == false)
  }

  /// A connection or a program can cut a form off at any byte, also inside its last boundary.
  @Test func formsThatEndEarlyAreTold() async throws {
    let form = Self.form([(Self.text, Array("Me".utf8)), (Self.file, [1, 2, 3])])
    for count in 0..<form.count - 4 {
      var bytes = Array(form.prefix(count))
      let error = #expect(throws: ServiceError.self) {
        try MultipartBody.keepFile(in: &bytes, contentType: "multipart/form-data; boundary=x-1")
      }
      #expect(error?.message.contains("ends early, after \(count) bytes") == true, "\(error?.message ?? "")")
    }
    try await Server().application.test(.live) { client in
      let cut = try await client.execute(
        uri: "/crop/avatar/64.jpg", method: .post, headers: [.contentType: "multipart/form-data; boundary=x-1"],
        body: ByteBuffer(bytes: form.dropLast(9)))
      #expect(cut.status == .badRequest && String(buffer: cut.body).contains("ends early"))
    }
  }

  /// `curl -d` removes bytes, and sends a type that no image has. With `--data-binary`, the type is the same.
  @Test func bytesThatCurlRemovesAreNamed() async throws {
    let torn = Pictures.astronaut.filter { ![0, 10, 13].contains($0) }
    try await Server().application.test(.live) { client in
      for path in ["/crop/avatar/64.jpg", "/meta/avatar/64", "/blur"] {
        func send(_ body: [UInt8], _ type: String) async throws -> TestResponse {
          try await client.execute(
            uri: path, method: .post, headers: [.contentType: type], body: ByteBuffer(bytes: body))
        }
        for body in [torn, Array("no image".utf8)] {
          let form = try await send(body, "application/x-www-form-urlencoded")
          let plain = try await send(body, "image/jpeg")
          #expect([415, 422].contains(form.status.code) && form.status == plain.status)
          #expect(String(buffer: form.body).contains("--data-binary"))
          #expect(!String(buffer: plain.body).contains("--data-binary"))
        }
        #expect(try await send(Pictures.astronaut, "application/x-www-form-urlencoded").status == .ok)
      }
    }
  }

  @Test func filesInFormsStayUnchanged() throws {
    for content in [[], [13, 10], Array("--x-1".utf8), Array("\r\n--x".utf8), [UInt8](repeating: 45, count: 300_000)] {
      var bytes = Self.form([(Self.text, [7]), (Self.file, content)])
      try MultipartBody.keepFile(in: &bytes, contentType: "multipart/form-data; boundary=x-1")
      #expect(bytes == content)
    }
    var plain: [UInt8] = [1, 2]
    try MultipartBody.keepFile(in: &plain, contentType: "image/jpeg")
    try MultipartBody.keepFile(in: &plain, contentType: nil)
    #expect(plain == [1, 2])
  }

  @Test(arguments: [
    (HTTPRequest.Method.delete, "/crop/avatar/64.jpg", "GET, HEAD, POST, PUT"),
    (.patch, "/meta/avatar/64", "GET, HEAD, POST, PUT"),
    (.post, "/unsafe/9x9/a.jpg", "GET, HEAD"),
    (.delete, "/health", "GET, HEAD"), (.post, "/health/ready", "GET, HEAD"), (.put, "/metrics", "GET, HEAD"),
    (.get, "/purge", "POST"), (.init("PURGE")!, "/purge?src=a.jpg", "POST"),
    (.init("PURGE")!, "/crop/avatar/64.jpg", "GET, HEAD, POST, PUT"), (.init("MKCOL")!, "/metrics", "GET, HEAD"),
  ])
  func otherMethodsAre405(method: HTTPRequest.Method, uri: String, allowed: String) async throws {
    try await Server().application.test(.live) { client in
      let response = try await client.execute(uri: uri, method: method)
      #expect(response.status == .methodNotAllowed)
      #expect(response.headers[.allow] == allowed)
    }
  }

  @Test(arguments: ["/health", "/health/ready", "/metrics"])
  func stateHasAHead(uri: String) async throws {
    try await Server().application.test(.live) { client in
      let (head, get) = (
        try await client.execute(uri: uri, method: .head), try await client.execute(uri: uri, method: .get)
      )
      #expect(head.status == get.status && head.headers[.contentType] == get.headers[.contentType])
      #expect(head.body.readableBytes == 0 && get.body.readableBytes > 0)
    }
  }

  @Test func aPageOfNewAvatarsHasRoom() {
    #expect(Settings.patient { $0.concurrency = 1 }.mostWaiting >= 40)
    #expect(Settings.patient { $0.waiting = 3 }.mostWaiting == 3)
  }
}
