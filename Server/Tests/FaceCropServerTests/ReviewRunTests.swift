import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FaceCropServer

/// The runs of a review's command, their outcomes, and the file of the history.
@Suite(.timeLimit(.minutes(5))) struct ReviewRunTests {
  private static func post(
    _ client: any TestClientProtocol, _ path: String, _ content: [String: Any]
  ) async throws -> TestResponse {
    var headers: HTTPFields = [.contentType: "application/json"]
    headers[HTTPField.Name("Sec-Fetch-Site")!] = "same-origin"
    let body = try JSONSerialization.data(withJSONObject: content)
    return try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(bytes: body))
  }

  private static func correct(
    _ client: any TestClientProtocol, _ index: Int = 0, version: Int = 0, x: Double = 0.1, count: Int = 1
  ) async throws -> TestResponse {
    let frame: [String: Any] = [
      "crop": ["region": ["x": x, "y": 0, "width": 0.5, "height": 0.5], "faces": [0]], "isRejected": false,
    ]
    let frames = Array(repeating: frame, count: count)
    return try await post(client, "/review/entries/\(index)", ["version": version, "frames": frames])
  }

  private static func news(_ client: any TestClientProtocol) async throws -> [String: Any] {
    let response = try await client.execute(uri: "/review/changes?after=0", method: .get)
    return try #require(try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
  }

  /// The state of the first image once the command has run.
  private static func outcome(_ client: any TestClientProtocol) async throws -> [String: Any] {
    try await eventually("the command ends") { try await news(client)["isBusy"] as? Bool == false }
    let changes = try #require(try await news(client)["changes"] as? [[String: Any]])
    return try #require(changes.first { $0["index"] as? Int == 0 }?["state"] as? [String: Any])
  }

  // MARK: Outcomes

  private static let moves = "s/\"x\":0.25/\"x\":0.1/;s/,\"outputs\"/,\"planned\":true,\"outputs\"/"

  @Test func outputsAreMade() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve(command: try batch.command(Self.moves)) { client in
      _ = try await Self.correct(client)
      let state = try await Self.outcome(client)
      #expect(state["fault"] == nil && state["isPending"] as? Bool == false)
    }
  }

  /// An image without a new output is told with the reason, and the correction stays.
  @Test(arguments: [
    ("", "missing or has another name"), ("s/nothing/nothing/", "has not taken the image"),
    (
      "s/\"status\":\"cropped\"/\"reason\":{\"kind\":\"corrupt\",\"message\":\"damaged\"},\"status\":\"failed\"/",
      "damaged"
    ),
    (moves + ";s/\"file\":/\"kept\":true,\"file\":/", "a.jpg: the file was changed by hand"),
  ])
  func outputsThatWereNotMade(script: String, reason: String) async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve(command: try batch.command(script)) { client in
      if script.isEmpty { try FileManager.default.removeItem(at: batch.folder.appending(path: "in/a.jpg")) }
      _ = try await Self.correct(client)
      let state = try await Self.outcome(client)
      #expect((state["fault"] as? String)?.contains(reason) == true, "\(state)")
      #expect(state["isPending"] as? Bool == !reason.contains("by hand"))
      // It is not tried without end.
      #expect(batch.text("runs.txt") == "run\n")
      #expect(batch.text("out/plans.ndjson").contains("\"x\":0.1"))
    }
  }

  /// A missing image is made when it is back and somebody asks.
  @Test func restoredImages() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    let program = try batch.command()
    try await batch.serve(command: program) { client in
      try FileManager.default.removeItem(at: batch.folder.appending(path: "in/a.jpg"))
      _ = try await Self.correct(client)
      #expect(try await Self.outcome(client)["fault"] != nil)
      #expect(try await Self.news(client)["isWaiting"] as? Bool == true)
      try batch.write(Pictures.astronaut, to: "in/a.jpg")
      _ = try batch.command(Self.moves)
      _ = try await Self.post(client, "/review/make", [:])
      let state = try await Self.outcome(client)
      #expect(state["fault"] == nil && state["isPending"] as? Bool == false)
      #expect(try await Self.news(client)["isWaiting"] as? Bool == false)
    }
  }

  /// A correction of an image whose file was changed has no effect, and can be taken again.
  @Test func changedImages() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve(command: try batch.command("s/\"content\":\"c\"/\"content\":\"d\"/")) { client in
      _ = try await Self.correct(client)
      let state = try await Self.outcome(client)
      #expect((state["fault"] as? String)?.contains("the file was changed") == true)
      #expect(state["frames"] == nil && state["undo"] as? Int == 2 && state["isPending"] as? Bool == false)
      let undone = try await Self.post(client, "/review/entries/0/undo", ["version": 2])
      #expect(undone.status == .ok && batch.text("out/plans.ndjson").contains("\"content\":\"d\""))
      #expect(batch.text("out/plans.ndjson").contains("\"x\":0.1"))
    }
  }

  /// A page whose numbers mean other images cannot correct one.
  @Test func otherImages() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve(command: try batch.command("s/in.notes.jpg/in\\/new.jpg/")) { client in
      let start = try #require(try await Self.news(client)["start"] as? String)
      _ = try await Self.correct(client)
      _ = try await Self.outcome(client)
      #expect(try await Self.news(client)["start"] as? String != start)
      let late = try await Self.post(client, "/review/entries/0/undo", ["version": 1, "start": start])
      #expect(late.status == .badRequest && String(buffer: late.body).contains("reload the page"))
    }
  }

  // MARK: Runs

  /// Corrections of an earlier session and an older report wait for somebody at the page.
  @Test(arguments: [true, false]) func nothingRunsBeforeSomebodyAsks(isOutdated: Bool) async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      if !isOutdated { _ = try await Self.correct(client) }
    }
    if isOutdated {
      let later = Date(timeIntervalSinceNow: 60)
      try FileManager.default.setAttributes(
        [.modificationDate: later], ofItemAtPath: batch.outputs + "/manifest.ndjson")
    }
    try await batch.serve(command: try batch.command(Self.moves)) { client in
      let page = String(buffer: try await client.execute(uri: "/review", method: .get).body)
      #expect(page.contains("\"isWaiting\":true"))
      try await Task.sleep(for: .milliseconds(500))
      #expect(try await Self.news(client)["isWaiting"] as? Bool == true)
      #expect(batch.text("runs.txt").isEmpty)
      _ = try await Self.post(client, "/review/make", [:])
      try await eventually("the command runs") { batch.text("runs.txt") == "run\n" }
      try await eventually("nothing waits") { try await Self.news(client)["isWaiting"] as? Bool == false }
    }
  }

  /// A run that fails is told, also if no correction waits for it.
  @Test func failedRunsAreTold() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: batch.outputs + "/manifest.ndjson")
    try await batch.serve { client in
      _ = try await Self.post(client, "/review/make", [:])
      try await eventually("the reason is told") {
        (try await Self.news(client)["fault"] as? String)?.contains("ended with status 1") == true
      }
    }
  }

  /// A record from another place is refused, however it names its folder.
  @Test(arguments: [
    "/proc/self/cwd/review", "link", "-d", "-rd", "--output-dir", "-d=", "--output-dir=", "none", "relative",
  ])
  func recordsOfOtherPlaces(kind: String) throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    let other = batch.folder.path + "/in"
    try batch.changeRecord { record in
      switch kind {
      case "/proc/self/cwd/review": record["outputs"] = "/proc/self/root" + batch.outputs
      case "link":
        try? FileManager.default.createSymbolicLink(
          atPath: batch.folder.path + "/link", withDestinationPath: "/proc/self/root" + batch.folder.path)
        record["outputs"] = batch.folder.path + "/link/out"
      case "none": record["arguments"] = ["batch", "-r", "in"]
      case "relative": record["directory"] = "."
      default:
        record["arguments"] =
          ["batch", "in", "-d", "out"] + (kind.hasSuffix("=") ? [kind + other] : [kind, other])
      }
    }
    #expect {
      _ = try ReviewDesk(batch.outputs, environment: ["FACECROP": "/bin/false"])
    } throws: { error in
      "\(error)".contains("moved or copied")
    }
  }

  /// A folder may be named by a link of the user's own.
  @Test func ownLinks() throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    let link = batch.folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: batch.folder.path)
    try batch.changeRecord { record in
      record["outputs"] = link + "/out"
      record["arguments"] = ["batch", "-rd", link + "/out", "in"]
    }
    _ = try ReviewDesk(link + "/out", environment: ["FACECROP": "/bin/false"])
  }

  // MARK: History

  private static func frames(_ count: Int, _ step: Int) -> [ReviewHistory.Frame] {
    let region = NormalizedRect(x: Double(step) / 1_000, y: 0, width: 0.5, height: 0.5)
    return Array(repeating: .init(crop: .init(region: region, faces: []), isRejected: false), count: count)
  }

  /// The steps of all images have a bounded size, and those of the image changed last are kept.
  @Test func stepsAreBoundedInBytes() {
    var history = ReviewHistory()
    for key in 0..<8 {
      for step in 0..<30 {
        history.apply(.corrected(to: Self.frames(1_000, step), before: nil, content: nil), "\(key)")
      }
    }
    let bytes = history.states.values.flatMap { $0.undo + $0.redo }.reduce(0) { $0 + $1.bytes }
    #expect(bytes <= ReviewHistory.mostStepBytes && bytes > ReviewHistory.mostStepBytes / 4)
    #expect(history.states["7"]?.undo.count == 30 && history.states["0"]?.undo.isEmpty == true)
    #expect(history.states["0"]?.frames == Self.frames(1_000, 29))
  }

  /// All corrections together have a bounded size; one that is refused changes nothing.
  @Test func correctionsAreBoundedInBytes() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve(mostBytes: 100_000) { client in
      #expect(try await Self.correct(client, count: 500).status == .ok)
      let plans = batch.text("out/plans.ndjson")
      let refused = try await Self.correct(client, 1, count: 1_000)
      #expect(refused.status == .badRequest && String(buffer: refused.body).contains("all corrections together"))
      #expect(batch.text("out/plans.ndjson") == plans)
      // Fewer frames are always taken.
      #expect(try await Self.correct(client, version: 1, count: 1).status == .ok)
    }
  }

  /// A correction adds its own line to the file.
  @Test func correctionsAreAppended() async throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try await batch.serve { client in
      _ = try await Self.correct(client, 1, count: 1_000)
      let (before, first) = (batch.text("out/.facecrop-review.json"), try batch.number(of: "out/.facecrop-review.json"))
      _ = try await Self.correct(client)
      let after = batch.text("out/.facecrop-review.json")
      #expect(try batch.number(of: "out/.facecrop-review.json") == first)
      #expect(after.hasPrefix(before) && after.utf8.count - before.utf8.count < 1_024)
      _ = try await Self.post(client, "/review/entries/0/undo", ["version": 1])
    }
    // A line that was cut was never confirmed.
    let text = batch.text("out/.facecrop-review.json")
    try batch.write(Array((text + "{\"key\":\"../in/a.jpg\",\"cha").utf8), to: "out/.facecrop-review.json")
    let history = try #require(ReviewLog.read(batch.outputs + "/.facecrop-review.json"))
    #expect(history.states["../in/a.jpg"]?.version == 2 && history.states["../in/a.jpg"]?.redo.count == 1)
    #expect(history.states["../in/notes.jpg"]?.frames?.count == 1_000)
    try await batch.serve { client in
      let again = try await Self.post(client, "/review/entries/0/redo", ["version": 2])
      #expect(again.status == .ok && batch.text("out/plans.ndjson").contains("\"x\":0.1"))
    }
    #expect(ReviewLog.read(batch.outputs + "/.facecrop-review.json")?.states["../in/a.jpg"]?.version == 3)
  }

  /// The file is as short as a whole one again once much was added.
  @Test func theFileIsBounded() throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    let path = batch.outputs + "/.facecrop-review.json"
    var (history, log) = (ReviewHistory(), ReviewLog(path: path))
    for step in 0..<260 {
      let change = ReviewHistory.Change.corrected(to: Self.frames(1_000, step), before: nil, content: "c")
      history.apply(change, "a")
      try log.save(history, [("a", change)])
    }
    let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < ReviewLog.mostAdded + ReviewHistory.mostStepBytes)
    let read = try #require(ReviewLog.read(path)?.states["a"])
    let own = try #require(history.states["a"])
    #expect(read.version == 260 && read.undo == own.undo && read.current == own.current && read.isPending)
  }

  @Test func otherFilesAreNoHistories() throws {
    let batch = try ReviewedBatch()
    defer { batch.remove() }
    try batch.write(Array("{}".utf8), to: "out/.facecrop-review.json")
    #expect(ReviewLog.read(batch.outputs + "/.facecrop-review.json") == nil)
  }
}
