import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FaceCropServer

/// The review's routes and the attacks on them, over sockets. `Server/Tests/review` does the rest in a browser, with the
/// facecrop command.
@Suite(.timeLimit(.minutes(5))) struct ReviewTests {
  private static let token = "a token of the review"
  private static let own = fields(("Sec-Fetch-Site", "same-origin"))

  private static func fields(_ pairs: (String, String)...) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs { fields[HTTPField.Name(name)!] = value }
    return fields
  }

  private static func post(
    _ client: any TestClientProtocol, _ path: String, _ content: [String: Any], _ headers: HTTPFields? = nil,
    type: String = "application/json"
  ) async throws -> TestResponse {
    var headers = headers ?? own
    headers[.contentType] = type
    let body = try JSONSerialization.data(withJSONObject: content)
    return try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(bytes: body))
  }

  private static func object(_ response: TestResponse) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
  }

  private static func frames(x: Double, isRejected: Bool = false) -> [[String: Any]] {
    [["crop": ["region": ["x": x, "y": 0, "width": 0.5, "height": 0.5], "faces": [0]], "isRejected": isRejected]]
  }

  private static let paths = [
    "/review", "/review/report.js", "/review/changes", "/review/inputs/0", "/review/outputs/0/0",
    "/review/thumbnails/0", "/review/thumbnails/0/0",
  ]

  @Test func offByDefault() async throws {
    try await Server(.patient()).application.test(.live) { client in
      for path in Self.paths {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status.code >= 400, "\(path)")
      }
    }
  }

  @Test func everyResponseHasTheRules() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      for path in Self.paths {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status == .ok, "\(path)")
        let head = try await client.execute(uri: path, method: .head)
        #expect(head.status == .ok && head.body.readableBytes == 0, "\(path)")
        let other = try await client.execute(uri: path, method: .delete)
        #expect(other.status == .methodNotAllowed && other.headers[.allow] == "GET, HEAD", "\(path)")
        let policy = response.headers[HTTPField.Name("Content-Security-Policy")!] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
        #expect(!policy.contains("unsafe"))
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
      }
      let page = String(buffer: try await client.execute(uri: "/review", method: .get).body)
      #expect(!page.contains("<style") && !page.contains("style=") && !page.contains(/\son[a-z]+=/))
      #expect(!page.contains("@DATA@") && !page.contains("@SCRIPT@"))
      let first = try await client.execute(uri: "/", method: .get)
      #expect(first.status == .seeOther && first.headers[.location] == "/review")
    }
  }

  /// Names and metadata cannot end the page's data.
  @Test func namesAreNoMarkup() async throws {
    let name = "</script><script>alert(1)</script><img src=x onerror=alert(1)>.jpg"
    let batch = try ReviewedBatch(name: name) {
      $0["warnings"] = ["</script><b>"]
      $0["faces"] = [["x": 0.3, "y": 0.1, "width": 0.2, "height": 0.25, "score": 1, "name": "<script>"]]
    }
    defer { batch.remove() }
    try await batch.serve { client in
      _ = try await Self.post(client, "/review/entries/0", ["version": 0, "frames": Self.frames(x: 0.1)])
      let page = String(buffer: try await client.execute(uri: "/review", method: .get).body)
      #expect(page.ranges(of: "<script").count == 3 && !page.contains("<img src=x") && !page.contains("<b>"))
      #expect(page.contains("\\u003c/script>\\u003cscript>alert(1)"))
    }
  }

  /// Other sites' pages cannot correct anything.
  @Test func otherSites() async throws {
    for extra in [
      Self.fields(("Sec-Fetch-Site", "cross-site")), Self.fields(("Sec-Fetch-Site", "same-site")), Self.fields(),
      Self.fields(("Origin", "http://evil.example")), Self.fields(("Origin", "null")),
      Self.fields(("Sec-Fetch-Site", "same-origin"), ("Origin", "http://evil.example")),
    ] {
      let batch = try ReviewedBatch()
      defer { batch.remove() }
      try await batch.serve { client in
        for path in ["/review/entries/0", "/review/entries/0/undo", "/review/done"] {
          let response = try? await Self.post(client, path, ["version": 0, "frames": Self.frames(x: 0.1)], extra)
          // A refused body ends its connection.
          #expect(response == nil || response?.status == .forbidden, "\(path) \(extra)")
        }
      }
      #expect(batch.text("out/plans.ndjson").isEmpty)
    }
  }

  /// A form of another site, which needs no permission of the browser, has another type.
  @Test func formsAreRefused() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      let response = try await Self.post(
        client, "/review/entries/0", ["version": 0, "frames": Self.frames(x: 0.1)], type: "text/plain")
      #expect(response.status == .badRequest)
    }
  }

  @Test(arguments: ["evil.example", "localhost.evil.example:8080"]) func foreignHosts(host: String) async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      let response = try await RawConnection.with(port: try #require(client.port)) { connection in
        try await connection.send("GET /review HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try await connection.head() ?? ""
      }
      #expect(response.hasPrefix("http/1.1 403"))
    }
  }

  /// Without a token nobody reads or changes anything, wherever the request seems to come from.
  @Test func nobodyIsLetInWithoutAToken() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      let stranger = try #require(client as? SignedIn).client
      let entry = ["version": 0, "frames": Self.frames(x: 0.1)] as [String: Any]
      let refused = try? await Self.post(stranger, "/review/entries/0", entry)
      #expect(refused?.status != .ok)
      #expect(batch.text("out/plans.ndjson").isEmpty)
    }
    try await batch.serve { client in
      let stranger = try #require(client as? SignedIn).client
      for path in Self.paths + ["/"] {
        #expect(try await stranger.execute(uri: path, method: .get).status == .unauthorized, "\(path)")
      }
    }
  }

  /// Guesses of the token are limited on all of the review's routes together.
  @Test func guesses() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve({ $0.playgroundToken = Self.token }) { client in
      var statuses: [HTTPResponse.Status] = []
      for guess in 0..<40 {
        let header = Self.fields(("Authorization", "Bearer guess \(guess)"))
        let path = Self.paths[guess % Self.paths.count]
        statuses.append(try await client.execute(uri: path, method: .get, headers: header).status)
      }
      #expect(statuses.prefix(5).allSatisfy { $0 == .unauthorized })
      #expect(statuses.contains(.tooManyRequests) && !statuses.contains(.ok))
    }
  }

  @Test func aTokenOpensThePage() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve({ $0.playgroundToken = Self.token }) { client in
      for path in Self.paths {
        let closed = try await client.execute(uri: path, method: .get)
        #expect(closed.status == .unauthorized && !String(buffer: closed.body).contains("a.jpg"), "\(path)")
      }
      let header = Self.fields(("Authorization", "Bearer \(Self.token)"))
      let open = try await client.execute(uri: "/review", method: .get, headers: header)
      #expect(open.status == .ok)
    }
  }

  /// No path of a client reaches a file, and only images of the manifest are sent.
  @Test func onlyFilesOfTheManifest() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      for path in [
        "/review/inputs/2", "/review/inputs/-1", "/review/inputs/999999999999999999999", "/review/inputs/0x0",
        "/review/inputs/..%2F..%2Fsecret.txt", "/review/inputs/../../secret.txt", "/review/outputs/0/1",
        "/review/outputs/0/..%2f..%2fsecret.txt", "/review/thumbnails/0/7", "/review/thumbnails/%2e%2e",
        "/review/thumbnails/0/-1", "/review/thumbnails/7",
        // These are in the manifest, but are no images.
        "/review/inputs/1", "/review/outputs/1/0",
      ] {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status.code >= 400 && !String(buffer: response.body).contains("secret"), "\(path)")
      }
      let image = try await client.execute(uri: "/review/inputs/0", method: .get)
      #expect(image.headers[.contentType] == "image/jpeg" && Array(image.body.readableBytesView) == Pictures.astronaut)
    }
  }

  /// A manifest or a report that leads elsewhere, and links in the folders, reach nothing.
  @Test(arguments: [
    "../secret.jpg", "/etc/hostname", ".hidden.jpg", "link.jpg", "sub/../../secret.jpg", "to/secret.jpg",
  ])
  func escapes(file: String) async throws {
    let batch = try ReviewedBatch {
      $0["outputs"] = [["file": file, "width": 1, "height": 1, "link": file]]
      $0["thumbnail"] = "../ab12"
    }
    defer { batch.remove() }
    try batch.write(Pictures.astronaut, to: "secret.jpg", "out/.hidden.jpg")
    let files = FileManager.default
    try files.createSymbolicLink(
      atPath: batch.outputs + "/link.jpg", withDestinationPath: batch.folder.path + "/secret.jpg")
    try files.createSymbolicLink(atPath: batch.outputs + "/to", withDestinationPath: batch.folder.path)
    try await batch.serve { client in
      for path in ["/review/outputs/0/0", "/review/thumbnails/0", "/review/thumbnails/0/0"] {
        let response = try await client.execute(uri: path, method: .get)
        #expect(response.status == .notFound, "\(path)")
      }
    }
  }

  /// Each correction is on the disk when it is confirmed; a version that was not seen is not replaced.
  @Test func noCorrectionIsLost() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      let first = try await Self.post(client, "/review/entries/0", ["version": 0, "frames": Self.frames(x: 0.1)])
      #expect(first.status == .ok)
      #expect(batch.text("out/plans.ndjson").contains("\"x\":0.1"))
      let late = try await Self.post(client, "/review/entries/0", ["version": 0, "frames": Self.frames(x: 0.4)])
      #expect(late.status == .conflict)
      let state = try #require(Self.object(late)["state"] as? [String: Any])
      #expect(state["version"] as? Int == 1 && batch.text("out/plans.ndjson").contains("\"x\":0.1"))
      let news = try await client.execute(uri: "/review/changes?after=0", method: .get)
      #expect((try Self.object(news)["changes"] as? [Any])?.count == 1)
      let undone = try await Self.post(client, "/review/entries/0/undo", ["version": 1])
      #expect(undone.status == .ok && !batch.text("out/plans.ndjson").contains("\"x\":0.1"))
      let again = try await Self.post(client, "/review/entries/0/redo", ["version": 2])
      #expect(again.status == .ok && batch.text("out/plans.ndjson").contains("\"x\":0.1"))
    }
    // Another server has the same history.
    try await batch.serve { client in
      let undone = try await Self.post(client, "/review/entries/0/undo", ["version": 3])
      #expect(undone.status == .ok && !batch.text("out/plans.ndjson").contains("\"x\":0.1"))
    }
  }

  /// Frames are checked as those of any plan, and change nothing if they are wrong.
  @Test func wrongCorrections() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      func crop(_ change: (inout [String: Any]) -> Void) -> [String: Any] {
        var crop: [String: Any] = ["region": ["x": 0.1, "y": 0, "width": 0.5, "height": 0.5], "faces": [0]]
        change(&crop)
        return ["version": 0, "frames": [["crop": crop, "isRejected": false]]]
      }
      for (name, content) in [
        ("outside", crop { $0["region"] = ["x": 0.9, "y": 0, "width": 0.5, "height": 0.5] }),
        ("a face that is not there", crop { $0["faces"] = [7] }),
        ("a wide frame", crop { $0["frame"] = ["x": -99, "y": 0, "width": 200, "height": 1] }),
        ("a wide turn", crop { $0["turn"] = ["degrees": 400, "rect": $0["region"]!] }),
        ("a turn without a rectangle", crop { $0["turn"] = ["degrees": 4] }),
        ("a file as the background", crop { $0["background"] = "/etc/passwd" }),
        ("a wide blur", crop { $0["background"] = "blur:99" }),
        ("no frames", ["version": 0]),
        ("many", ["version": 0, "frames": Array(repeating: Self.frames(x: 0.1)[0], count: 1_001)]),
        ("text", ["version": 0, "frames": "all"]),
      ] as [(String, [String: Any])] {
        let response = try await Self.post(client, "/review/entries/0", content)
        #expect(response.status == .badRequest, "\(name)")
      }
      let unknown = try await Self.post(client, "/review/entries/2", ["version": 0, "frames": Self.frames(x: 0.1)])
      #expect(unknown.status == .notFound)
    }
    #expect(!batch.text("out/plans.ndjson").contains("input"))
  }

  @Test func largeBodies() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      var headers = Self.own
      headers[.contentType] = "application/json"
      let body = ByteBuffer(repeating: UInt8(ascii: " "), count: Review.mostBytes + 1)
      let response = try? await client.execute(uri: "/review/entries/0", method: .post, headers: headers, body: body)
      #expect(response == nil || response?.status == .contentTooLarge)
    }
  }

  /// The command of "Done" names the file that the review writes.
  @Test func theCommandNamesThePlans() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      let done = try Self.object(try await Self.post(client, "/review/done", [:]))
      #expect(done["plans"] as? String == batch.outputs + "/plans.ndjson")
      #expect(done["command"] as? String == "facecrop batch --plan-in \(batch.outputs)/plans.ndjson")
    }
  }

  /// Turns and backgrounds are saved as a part of the plan, and come back with undo and redo.
  @Test func turnsAndBackgroundsAreSaved() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      var frames = Self.frames(x: 0.1)
      var crop = try #require(frames[0]["crop"] as? [String: Any])
      crop["turn"] = ["degrees": -90.5, "rect": ["x": 0.2, "y": 0.1, "width": 0.3, "height": 0.2]]
      crop["background"] = "blur:2.5"
      frames[0]["crop"] = crop
      let saved = try await Self.post(client, "/review/entries/0", ["version": 0, "frames": frames])
      #expect(saved.status == .ok)
      let plans = batch.text("out/plans.ndjson")
      #expect(plans.contains("\"background\":\"blur:2.5\"") && plans.contains("\"degrees\":-90.5"))
      let undone = try await Self.post(client, "/review/entries/0/undo", ["version": 1])
      #expect(undone.status == .ok && !batch.text("out/plans.ndjson").contains("background"))
      // A step that is not there changes nothing.
      let none = try Self.object(try await Self.post(client, "/review/entries/0/undo", ["version": 2]))
      #expect((none["state"] as? [String: Any])?["version"] as? Int == 2)
      let again = try await Self.post(client, "/review/entries/0/redo", ["version": 2])
      #expect(again.status == .ok && batch.text("out/plans.ndjson") == plans)
    }
  }

  /// A history has a bounded number of steps, for one image and for all.
  @Test func stepsAreBounded() throws {
    var history = ReviewHistory()
    let frame = { (x: Double) in
      [
        ReviewHistory.Frame(
          crop: .init(region: .init(x: x, y: 0, width: 0.1, height: 0.1), faces: []), isRejected: false)
      ]
    }
    for step in 0..<80 { history.apply(.corrected(to: frame(Double(step) / 100), before: nil, content: nil), "a") }
    #expect(history.states["a"]?.undo.count == ReviewHistory.mostSteps && history.states["a"]?.version == 80)
    for key in 0..<200 {
      for step in 0..<40 {
        history.apply(.corrected(to: frame(Double(step) / 100), before: nil, content: nil), "\(key)")
      }
    }
    let steps = history.states.values.reduce(0) { $0 + $1.undo.count + $1.redo.count }
    #expect(steps <= ReviewHistory.mostStepsOfAll && history.states["199"]?.undo.count == 40)
    #expect(history.states["a"]?.frames == frame(0.79))
  }

  /// A large batch takes time in proportion, and each correction sends one entry.
  @Test func largeBatches() async throws {
    let batch = try ReviewedBatch(entries: 10_000)
    defer { batch.remove() }
    try await batch.serve { client in
      let response = try await Self.post(client, "/review/entries/9999", ["version": 0, "frames": Self.frames(x: 0.1)])
      #expect(response.status == .ok && response.body.readableBytes < 4_096)
      let news = try await client.execute(uri: "/review/changes?after=0", method: .get)
      #expect(news.body.readableBytes < 8_192)
    }
  }

  @Test func foldersThatCannotBeReviewed() throws {
    let environment = ["FACECROP": "/bin/false"]
    func fault(_ folder: String) -> String {
      do throws(SettingsError) {
        _ = try ReviewDesk(folder, environment: environment)
        return ""
      } catch {
        return error.description
      }
    }
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    #expect(fault(batch.folder.path).contains("no report of a batch (run the batch with --report"))
    let moved = batch.folder.path + "/moved"
    try FileManager.default.copyItem(atPath: batch.outputs, toPath: moved)
    #expect(fault(moved).contains("moved or copied"))
    try batch.write(Array("{}\n".utf8), to: "out/plans.ndjson")
    #expect(fault(batch.outputs).contains("not from a review"))
    try FileManager.default.removeItem(atPath: batch.outputs + "/plans.ndjson")
    let open = try ReviewDesk(batch.outputs, environment: environment)
    // `--check` may run beside the server.
    try ReviewDesk.check(batch.outputs, environment: environment)
    #expect(throws: SettingsError.self) { try ReviewDesk.check(batch.folder.path, environment: environment) }
    #expect(fault(batch.outputs).contains("another review"))
    withExtendedLifetime(open) {}
    // Everybody could change the command that is run.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o666], ofItemAtPath: batch.outputs + "/.facecrop-report.json")
    #expect(fault(batch.outputs).contains("all users may change it"))
  }

  @Test func commandsAreFound() throws {
    #expect(throws: SettingsError.self) { try ReviewEngine.find(["FACECROP": "/does/not/exist"]) }
    #expect(try ReviewEngine.find(["FACECROP": "/bin/false"]) == "/bin/false")
  }
}
