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

  /// Runs `body` with a server and a client that is signed in.
  private static func serve(
    _ change: (inout Settings) -> Void = { _ in }, _ body: @escaping @Sendable (SignedIn) async throws -> Void
  ) async throws {
    let server = server(change)
    try await server.application.test(.live) { try await body(SignedIn(client: $0, token: server.pageToken)) }
  }

  private func fields(_ pairs: (String, String)...) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs { fields[HTTPField.Name(name)!] = value }
    return fields
  }

  private func sign(
    _ client: any TestClientProtocol, _ urls: [String], _ extra: HTTPFields? = nil, type: String = "application/json"
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
    try await Self.serve { client in
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
    try await Self.serve { client in
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
    try await Self.serve { client in
      let response = try await raw(client, "/playground/facts", "Host: \(host)")
      #expect(response.hasPrefix("http/1.1 403"), "\(response)")
    }
  }

  @Test(arguments: ["localhost:8080", "127.0.0.1", "[::1]:8080", "photos.example", "photos.example:81"])
  func ownHosts(host: String) async throws {
    try await Self.serve({ $0.playgroundHosts = ["photos.example"] }) { client in
      let response = try await raw(client, "/playground/facts", "Host: \(host)")
      #expect(response.hasPrefix("http/1.1 200"), "\(response)")
    }
  }

  private func raw(_ client: SignedIn, _ target: String, _ fields: String) async throws -> String {
    let port = try #require(client.port)
    return try await RawConnection.with(port: port) { connection in
      try await connection.send(
        "GET \(target) HTTP/1.1\r\n\(fields)\r\nAuthorization: Bearer \(client.token)\r\n\r\n")
      return try await connection.head() ?? ""
    }
  }

  /// A plain proxy on this machine sends the requests of strangers with a local address, host and origin.
  @Test func nobodyIsLetInWithoutAToken() async throws {
    let server = Self.server { $0.signingKeys = [Self.key] }
    try await server.application.test(.live) { client in
      for path in Self.paths {
        for headers in [fields(), fields(("Cookie", "facecrop_8080=\(server.pageToken)"))] {
          #expect(
            try await client.execute(uri: path, method: .get, headers: headers).status == .unauthorized, "\(path)")
        }
      }
      let port = try #require(client.port)
      for origin in ["http://127.0.0.1:\(port)", "http://localhost:\(port)"] {
        let local = fields(("Sec-Fetch-Site", "same-origin"), ("Origin", origin))
        let refused = try? await sign(client, ["/crop/avatar/64.jpg?src=a.jpg"], local)
        // A refused body ends its connection.
        #expect(refused?.status != .ok, "\(origin)")
      }
    }
    // Each start has another token.
    #expect(server.pageToken.utf8.count == 48 && server.pageToken != Self.server().pageToken)
  }

  /// The printed URL opens the page, and leaves the token neither in the address nor in the cookie.
  @Test func theURLWithTheTokenOpensThePage() async throws {
    let server = Self.server()
    try await server.application.test(.live) { client in
      let entered = try await client.execute(uri: "/?token=\(server.pageToken)", method: .get)
      #expect(entered.status == .seeOther && entered.headers[.location] == "/")
      let cookie = try #require(entered.headers[.setCookie])
      #expect(cookie.contains("HttpOnly; SameSite=Strict") && !cookie.contains(server.pageToken))
      let session = fields(("Cookie", String(cookie.prefix { $0 != ";" })))
      #expect((try await client.execute(uri: "/playground/facts", method: .get, headers: session)).status == .ok)
      for uri in ["/?token=", "/?token=\(server.pageToken.dropLast())", "/playground/facts?token=\(server.pageToken)"] {
        let wrong = try await client.execute(uri: uri, method: .get)
        #expect(wrong.status == .unauthorized && wrong.headers[.setCookie] == nil, "\(uri)")
      }
    }
  }

  /// The target names another host than the header, so a program in front may have judged the other one.
  @Test(arguments: ["http://evil.example/", "http://localhost/playground/facts", "//evil.example:x/#", "*", "/#/crop"])
  func targetsAreOnlyPaths(target: String) async throws {
    try await Self.serve { client in
      for path in [target, "\(target)crop/avatar/64?src=a.jpg"] {
        let response = try await raw(client, path, "Host: localhost")
        #expect(response.hasPrefix("http/1.1 400"), "\(path): \(response)")
      }
    }
  }

  @Test func tokensAreLong() throws {
    #expect(throws: SettingsError.self) {
      try Settings(file: nil, environment: ["FACECROP_PLAYGROUND_TOKEN": "short"], arguments: ["--playground"])
    }
    // Others need the printed token.
    for host in ["0.0.0.0", "::", "192.0.2.1", "photos.example"] {
      let arguments = ["--unsafe", "--playground", "--host", host]
      #expect(throws: Never.self) { try Settings(file: nil, environment: [:], arguments: arguments) }
    }
  }

  /// A refused body ends its connection, so each request has its own.
  @Test func otherSites() async throws {
    let url = ["/crop/avatar/64.jpg?src=a.jpg"]
    let server = Self.server { $0.signingKeys = [Self.key] }
    func status(_ extra: HTTPFields, type: String = "application/json") async throws -> HTTPResponse.Status {
      try await server.application.test(.live) {
        try await sign(SignedIn(client: $0, token: server.pageToken), url, extra, type: type).status
      }
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
    try await Self.serve({
      $0 = settings; $0.playground = true
    }) { client in
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

  /// Wrong tokens are limited. They lock out nobody who has the token or a session, even of the same address.
  @Test func guesses() async throws {
    try await Self.server { $0.playgroundToken = Self.token }.application.test(.live) { client in
      let entered = try await client.execute(
        uri: "/?token=\(Self.token.replacing(" ", with: "%20"))", method: .get)
      let session = String(try #require(entered.headers[.setCookie]).prefix { $0 != ";" })
      let name = session.prefix { $0 != "=" }
      func status(_ name: String, _ value: String, _ path: String = "/playground/facts") async throws -> Int {
        try await client.execute(uri: path, method: .get, headers: fields((name, value))).status.code
      }
      var statuses: [Int] = []
      for guess in 0..<40 {
        let isCookie = guess.isMultiple(of: 2)
        statuses.append(
          try await isCookie ? status("Cookie", "\(name)=\(guess)") : status("Authorization", "Bearer guess \(guess)"))
        for cookie in [session, "\(name)=planted; \(session)", "\(session); \(name)=planted", "a=b; \(session)"] {
          #expect(try await status("Cookie", cookie) == 200, "\(cookie)")
        }
        #expect(try await status("Authorization", "Bearer \(Self.token)") == 200)
        // A session of another server, which a tab still sends.
        let mixed = fields(("Cookie", "\(name)=old"), ("Authorization", "Bearer \(Self.token)"))
        #expect(try await client.execute(uri: "/playground/facts", method: .get, headers: mixed).status == .ok)
      }
      #expect(statuses.prefix(5).allSatisfy { $0 == 401 } && statuses.contains(429) && !statuses.contains(200))
      // A person still sees where to sign in, and can.
      let page = try await client.execute(uri: "/", method: .get, headers: fields(("Cookie", "\(name)=old")))
      #expect(String(buffer: page.body).contains("playground/sign-in"))
      let form = ByteBuffer(string: "token=" + Self.token.replacing(" ", with: "+"))
      let signedIn = try await client.execute(
        uri: "/playground/sign-in", method: .post, headers: fields(("Sec-Fetch-Site", "same-origin")), body: form)
      #expect(signedIn.headers[.location] == "/" && signedIn.headers[.setCookie] != nil)
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
      try await Self.serve({ $0.folder = folder.path }) { client in
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
