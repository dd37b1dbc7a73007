import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FaceCropServer

/// The playground's routes and the attacks on them, over sockets.
@Suite(.timeLimit(.minutes(5))) struct PlaygroundTests {
  private static let token = "a token of the playground"
  private static let key = "0123456789abcdef"

  private static func server(_ change: (inout Settings) -> Void = { _ in }) -> Server {
    Server(
      .patient {
        $0.playground = true
        change(&$0)
      })
  }

  private func fields(_ pairs: (String, String)...) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs { fields[HTTPField.Name(name)!] = value }
    return fields
  }

  private func sign(
    _ client: some TestClientProtocol, _ urls: [String], _ extra: HTTPFields? = nil, type: String = "application/json"
  ) async throws -> TestResponse {
    var headers = extra ?? fields(("Sec-Fetch-Site", "same-origin"))
    headers[.contentType] = type
    let body = try JSONEncoder().encode(["urls": urls])
    return try await client.execute(
      uri: "/playground/sign", method: .post, headers: headers, body: ByteBuffer(bytes: body))
  }

  private static let paths = ["/", "/playground/facts", "/playground/images", "/playground/page.js"]

  @Test func offByDefault() async throws {
    try await Server(.patient()).application.test(.live) { client in
      for path in Self.paths {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status.code >= 400, "\(path)")
      }
      let status1 = try await sign(client, []).status
      #expect(status1 == .methodNotAllowed)
    }
  }

  @Test func everyResponseHasTheRules() async throws {
    try await Self.server().application.test(.live) { client in
      for path in Self.paths {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status == .ok, "\(path)")
        let policy = response.headers[HTTPField.Name("Content-Security-Policy")!] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect(response.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
      }
      let page = String(buffer: try await client.execute(uri: "/", method: .get).body)
      // Neither inline code nor addresses elsewhere.
      #expect(
        !page.contains("<style") && !page.contains("style=") && !page.contains(/\son[a-z]+=/) && !page.contains("//"))
    }
  }

  /// A monitor may use HEAD, and other methods get the allowed ones.
  @Test func pagesHaveHeadersAndNameTheirMethods() async throws {
    try await Self.server { $0.playgroundToken = Self.token }.application.test(.live) { client in
      for path in Self.paths + ["/playground/icon.svg"] {
        let headers = fields(("Authorization", "Bearer \(Self.token)"))
        let get = try await client.execute(uri: path, method: .get, headers: headers)
        let head = try await client.execute(uri: path, method: .head, headers: headers)
        #expect(head.status == .ok && head.body.readableBytes == 0, "\(path)")
        #expect(head.headers[.contentLength] == get.headers[.contentLength] && get.body.readableBytes > 0)
        #expect(head.headers[.contentType] == get.headers[.contentType])
        for method in [HTTPRequest.Method.post, .put, .delete] {
          // Without a length, the client sends chunks, and the server closes the connection.
          let sized = fields(("Authorization", "Bearer \(Self.token)"), ("Content-Length", "0"))
          let other = try await client.execute(uri: path, method: method, headers: sized)
          #expect(other.status == .methodNotAllowed && other.headers[.allow] == "GET, HEAD", "\(method) \(path)")
        }
      }
      // Without the token, there is the page to sign in.
      #expect(try await client.execute(uri: "/", method: .head).status == .unauthorized)
      #expect(try await client.execute(uri: "/playground/facts", method: .head).status == .unauthorized)
      let get = try await client.execute(uri: "/playground/sign", method: .get)
      #expect(get.status == .methodNotAllowed && get.headers[.allow] == "POST")
      let unknown = try await client.execute(uri: "/playground", method: .get)
      #expect(unknown.status == .notFound && String(buffer: unknown.body).contains("(write one of /, /crop/PRESET"))
    }
  }

  /// No response to HEAD has a body, which the client would take for the next response.
  @Test func headHasNoBody() async throws {
    try await Self.server { $0.playgroundToken = Self.token }.application.test(.live) { client in
      let text = try await RawConnection.with(port: try #require(client.port)) { connection in
        for path in ["/", "/foo", "/crop/avatar/9?src=none.jpg", "/playground/page.js", "/health"] {
          try await connection.send("HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        try await connection.send("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return try await connection.untilClosed()
      }
      let heads = text.split(separator: "\r\n\r\n", omittingEmptySubsequences: true)
      #expect(heads.count == 6 && heads.allSatisfy { $0.hasPrefix("HTTP/1.1 ") }, "\(text)")
    }
  }

  /// The controls come from the parser's own table.
  @Test func theFactsHaveEveryOption() async throws {
    try await Self.server().application.test(.live) { client in
      let response = try await client.execute(uri: "/playground/facts", method: .get)
      let facts = try #require(try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
      let options = try #require(facts["options"] as? [[String: Any]])
      #expect(options.compactMap { $0["name"] as? String } == URLParameter.all.map(\.name))
      let presets = ["presets", "documents"].flatMap { facts[$0] as? [String] ?? [] }
      #expect(presets.count >= 25)
      for preset in presets {
        let url = OwnURL(path: "/crop/\(preset)/64.jpg", query: "src=a.jpg", settings: .patient())
        #expect(throws: Never.self) { try url.request() }
      }
    }
  }

  @Test(arguments: ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "127.1.1"])
  func foreignHosts(host: String) async throws {
    try await Self.server().application.test(.live) { client in
      let response = try await raw(client, "GET /playground/facts HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      #expect(response.hasPrefix("http/1.1 403"), "\(response)")
    }
  }

  @Test(arguments: ["localhost:8080", "127.0.0.1", "[::1]:8080", "photos.example", "photos.example:81"])
  func ownHosts(host: String) async throws {
    try await Self.server { $0.playgroundHosts = ["photos.example"] }.application.test(.live) { client in
      let response = try await raw(client, "GET /playground/facts HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      #expect(response.hasPrefix("http/1.1 200"), "\(response)")
    }
  }

  private func raw(_ client: some TestClientProtocol, _ text: String) async throws -> String {
    let port = try #require(client.port)
    return try await RawConnection.with(port: port) { connection in
      try await connection.send(text)
      return try await connection.head() ?? ""
    }
  }

  /// A proxy on this machine does not open the page.
  @Test(arguments: ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
  func onlyThisMachine(header: String) async throws {
    try await Self.server().application.test(.live) { client in
      let response = try await client.execute(uri: "/", method: .get, headers: fields((header, "192.0.2.1")))
      #expect(response.status == .forbidden)
    }
  }

  @Test func otherHostsNeedAToken() throws {
    for host in ["0.0.0.0", "::", "192.0.2.1", "photos.example"] {
      let arguments = ["--unsafe", "--playground", "--host", host]
      #expect(throws: SettingsError.self) { try Settings(file: nil, environment: [:], arguments: arguments) }
      #expect(throws: Never.self) {
        try Settings(file: nil, environment: [:], arguments: arguments + ["--playground-token", Self.token])
      }
    }
    #expect(throws: SettingsError.self) {
      try Settings(file: nil, environment: ["FACECROP_PLAYGROUND_TOKEN": "short"], arguments: ["--playground"])
    }
  }

  /// A refused body ends its connection, so each request has its own.
  @Test func otherSites() async throws {
    let url = ["/crop/avatar/64.jpg?src=a.jpg"]
    let server = Self.server { $0.signingKeys = [Self.key] }
    func status(_ extra: HTTPFields, type: String = "application/json") async throws -> HTTPResponse.Status {
      try await server.application.test(.live) { try await sign($0, url, extra, type: type).status }
    }
    let own = fields(("Sec-Fetch-Site", "same-origin"))
    let (found, form) = (try await status(own), try await status(own, type: "text/plain"))
    #expect(found == .ok && form == .badRequest)
    for extra in [
      fields(("Sec-Fetch-Site", "cross-site")), fields(("Sec-Fetch-Site", "same-site")), fields(),
      fields(("Origin", "http://evil.example")), fields(("Origin", "null")),
      fields(("Sec-Fetch-Site", "same-origin"), ("Origin", "http://evil.example")),
    ] {
      let found = try await status(extra)
      #expect(found == .forbidden, "\(extra)")
    }
  }

  @Test func signedURLsAreAccepted() async throws {
    let settings = Settings.patient {
      $0.signingKeys = [Self.key]
      $0.unsafe = false
    }
    try await Self.server {
      $0 = settings; $0.playground = true
    }.application.test(.live) { client in
      let response = try await sign(
        client, ["/crop/avatar/64.jpg?src=a%20b.jpg&quality=50", "/crop/tight/64?", "/blur?"])
      let urls = try JSONDecoder().decode([String: [String]].self, from: Data(buffer: response.body))["urls"] ?? []
      #expect(urls.count == 3)
      for (url, hasBody) in zip(urls, [false, true, true]) {
        let parts = url.split(separator: "?").map(String.init)
        #expect(throws: Never.self) {
          try OwnURL(path: parts[0], query: parts[1], settings: settings, hasBody: hasBody).request()
        }
      }
      for wrong in [
        "/metrics?", "/crop/avatar/64.jpg", "https://a.example/crop/avatar/64?", "/crop/avatar/64?src=a&sig=x",
        "/crop/avatar/64?src=a&zoom=2", "/crop/avatar/64?src=a b", "/crop/none/64?src=a",
      ] {
        let status5 = try await sign(client, [wrong]).status
        #expect(status5 == .badRequest, "\(wrong)")
      }
      let status6 = try await sign(client, Array(repeating: urls[0], count: 101)).status
      #expect(status6 == .badRequest)
    }
  }

  @Test func aTokenOpensThePage() async throws {
    try await Self.server { $0.playgroundToken = Self.token }.application.test(.live) { client in
      let closed = try await client.execute(uri: "/", method: .get)
      #expect(closed.status == .unauthorized)
      #expect(String(buffer: closed.body).contains("playground/sign-in"))
      #expect((try await client.execute(uri: "/playground/images", method: .get)).status == .unauthorized)
      let header = fields(("Authorization", "Bearer \(Self.token)"))
      #expect((try await client.execute(uri: "/playground/facts", method: .get, headers: header)).status == .ok)
      let form = ByteBuffer(string: "token=" + Self.token.replacing(" ", with: "+"))
      let signedIn = try await client.execute(
        uri: "/playground/sign-in", method: .post, headers: fields(("Sec-Fetch-Site", "same-origin")), body: form)
      #expect(signedIn.status == .seeOther)
      let cookie = try #require(signedIn.headers[.setCookie])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains(Self.token))
      let session = String(cookie.prefix { $0 != ";" })
      #expect((try await client.execute(uri: "/", method: .get, headers: fields(("Cookie", session)))).status == .ok)
      // Another site's form cannot sign in.
      let foreign = try await client.execute(
        uri: "/playground/sign-in", method: .post, headers: fields(("Origin", "http://evil.example")), body: form)
      #expect(foreign.status == .forbidden)
    }
  }

  /// After five wrong tokens, even the right one has to wait.
  @Test func guesses() async throws {
    try await Self.server { $0.playgroundToken = Self.token }.application.test(.live) { client in
      var statuses: [HTTPResponse.Status] = []
      for guess in 0..<40 {
        let header = fields(("Authorization", "Bearer guess \(guess)"))
        statuses.append(try await client.execute(uri: "/playground/facts", method: .get, headers: header).status)
      }
      #expect(statuses.prefix(5).allSatisfy { $0 == .unauthorized })
      #expect(statuses.contains(.tooManyRequests))
    }
  }

  private static func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "playground-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: true)
    try await body(folder)
  }

  @Test func theListStaysInTheFolder() async throws {
    try await Self.withFolder { folder in
      for name in ["b.jpg", "a.PNG", "<img src=x>.jpg", ".hidden.jpg", "notes.txt", "sub/c.webp"] {
        try Data([1]).write(to: folder.appending(path: name))
      }
      let files = FileManager.default
      try files.createSymbolicLink(
        at: folder.appending(path: "link.jpg"), withDestinationURL: URL(filePath: "/etc/passwd"))
      try files.createSymbolicLink(at: folder.appending(path: "out"), withDestinationURL: URL(filePath: "/"))
      let origin = FolderOrigin(root: folder.path, limit: 1 << 20)
      #expect(try await origin.images(matching: "").images == ["<img src=x>.jpg", "a.PNG", "b.jpg", "sub/c.webp"])
      #expect(try await origin.images(matching: "SUB").images == ["sub/c.webp"])
      try await Self.server { $0.folder = folder.path }.application.test(.live) { client in
        for text in ["../", "%2e%2e%2f", "..%2F..%2Fetc"] {
          let response = try await client.execute(uri: "/playground/images?q=\(text)", method: .get)
          let listing = try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any]
          #expect((listing?["images"] as? [String])?.isEmpty == true)
        }
      }
    }
  }

  @Test func largeFolders() async throws {
    try await Self.withFolder { folder in
      for number in 0..<300 { try Data([1]).write(to: folder.appending(path: "sub/\(number).jpg")) }
      let origin = FolderOrigin(root: folder.path, limit: 1 << 20)
      let listing = try await origin.images(matching: "")
      #expect(listing.images.count == 200 && listing.isCut)
      var bounds = FolderOrigin.ListingBounds()
      bounds.entries = 50
      let few = try await origin.images(matching: "", bounds)
      #expect(few.images.count <= 50 && few.isCut)
      #expect(try await origin.images(matching: "299").images == ["sub/299.jpg"])
    }
  }

  @Test func theMetaNamesTheChosen() async throws {
    try await Server(.patient()).application.test(.live) { client in
      let response = try await client.execute(
        uri: "/meta/avatar/64", method: .post, body: ByteBuffer(bytes: Pictures.astronaut))
      let meta = try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any]
      #expect(meta?["chosen"] as? [Int] == [0])
    }
  }
}
