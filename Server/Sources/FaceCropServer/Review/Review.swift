import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird

/// The routes of a review: the report's editor for a batch, whose corrections are saved and rendered at once. Files are
/// named by their numbers in the report, so no path comes from a client.
struct Review: Sendable {
  let desk: ReviewDesk
  let body: PageBody

  /// Upper bounds of a correction.
  static let mostBytes = 256 << 10
  static let mostFrames = 1_000

  func addRoutes(to group: PageRoutes) {
    group.get("review") { _, _ in await page() }
    group.get("review/report.css") { _, _ in .file(Array(ReportFiles.css.utf8), "text/css") }
    group.get("review/report.js") { _, _ in .script(ReportFiles.editor(PackageResources.server_store_js)) }
    group.get("review/changes") { request, _ in
      let after = request.uri.queryParameters["after"].flatMap { Int(String($0)) } ?? 0
      return .json(Self.text(await desk.changes(after: after)))
    }
    group.post("review/entries/:index") { request, context in
      let correction: Correction = try await read(request, context)
      guard correction.frames.count <= Self.mostFrames else { throw ServiceError.invalidQuery("too many frames") }
      let index = try Self.number("index", context)
      return Self.json(try await desk.correct(index, version: correction.version, correction.frames, correction.start))
    }
    for step in [ReviewHistory.Step.undo, .redo] {
      group.post("review/entries/:index/\(step.rawValue)") { request, context in
        let wanted: Version = try await read(request, context)
        return Self.json(
          try await desk.step(step, Self.number("index", context), version: wanted.version, wanted.start))
      }
    }
    group.post("review/make") { request, context in
      let _: Empty = try await read(request, context)
      await desk.makeWaiting()
      return .json([:])
    }
    group.post("review/done") { request, context in
      let _: Empty = try await read(request, context)
      let done = try await desk.finish()
      return .json([
        "plans": desk.plansPath, "count": done.count, "command": done.command, "isBusy": done.news.isBusy,
        "isWaiting": done.news.isWaiting,
      ])
    }
    let files = ReviewFiles(desk: desk)
    group.get("review/inputs/:index") { request, context in
      try await files.input(Self.number("index", context))
    }
    group.get("review/outputs/:index/:output") { request, context in
      try await files.output(Self.number("index", context), Self.number("output", context), isVersioned(request))
    }
    for path in ["review/thumbnails/:index", "review/thumbnails/:index/:output"] as [RouterPath] {
      group.get(path) { request, context in
        let output = try context.parameters.get("output").map { _ in try Self.number("output", context) }
        return try await files.thumbnail(Self.number("index", context), output, isVersioned(request))
      }
    }
  }

  private func isVersioned(_ request: Request) -> Bool { request.uri.queryParameters["v"].map { !$0.isEmpty } ?? false }

  private static func number(_ name: String, _ context: CallContext) throws(ServiceError) -> Int {
    guard let text = context.parameters.get(name), text.utf8.count <= 9, let number = Int(text), number >= 0 else {
      throw .notFound
    }
    return number
  }

  // MARK: The page

  /// The report's page with files in place of its own style and script.
  private static let template: [String] = {
    let text = ReportFiles.html
      .replacing(
        "<style>\n@STYLE@</style>",
        with: """
          <link rel="icon" href="/playground/icon.svg">
          <link rel="stylesheet" href="/review/report.css">
          """
      )
      .replacing(
        "<script>\n\"use strict\";\n@SCRIPT@</script>",
        with: """
          <script type="application/json" id="review">@DATA@</script>
          <script src="/review/report.js"></script>
          """)
    return text.split(separator: "@DATA@", omittingEmptySubsequences: false).map(String.init)
  }()

  private func page() async -> Response {
    let page = await desk.page
    let parts = zip(Self.template, [page.data, Self.text(page.news), []])
    return .file(parts.flatMap { part, json in Array(part.utf8) + Self.inScript(json) }, "text/html")
  }

  /// Returns JSON that cannot end a script element early.
  private static func inScript(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(UInt8(ascii: "<")) else { return json }
    let parts = json.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    return Array(parts.joined(separator: "\\u003c".utf8))
  }

  // MARK: JSON

  private struct Correction: Decodable, Sendable {
    var version: Int
    var frames: [ReviewHistory.Frame]
    var start: String?
  }

  private struct Version: Decodable, Sendable {
    var version: Int
    var start: String?
  }

  private struct Empty: Decodable, Sendable {}

  /// The history of an image, as the page gets it, and its entry.
  private static func text(_ change: ReviewDesk.Change) -> [UInt8] {
    let state = change.state
    let shown: JSONObject = [
      "version": state.version, "frames": state.frames, "undo": state.undo.count, "redo": state.redo.count,
      "isPending": state.isPending, "fault": change.fault,
    ]
    return text(["index": change.index, "state": shown], "entry", change.line)
  }

  private static func text(_ news: ReviewDesk.News) -> [UInt8] {
    let changes = news.changes.map { text($0) }.joined(separator: [UInt8(ascii: ",")])
    return text(
      [
        "start": news.start, "sequence": news.sequence, "isBusy": news.isBusy, "isWaiting": news.isWaiting,
        "fault": news.fault,
      ], "changes", [UInt8(ascii: "[")] + Array(changes) + [UInt8(ascii: "]")])
  }

  /// Returns an object with one more member, whose value is JSON.
  private static func text(_ object: JSONObject, _ name: String, _ json: [UInt8]) -> [UInt8] {
    var bytes = object.bytes
    bytes.removeLast()
    return bytes + Array(",\"\(name)\":".utf8) + json + [UInt8(ascii: "}")]
  }

  private static func json(_ answer: ReviewDesk.Answer) -> Response {
    .json(text(answer.change), status: answer.isConflict ? .conflict : .ok)
  }

  private func read<Value: Decodable & Sendable>(
    _ request: Request, _ context: CallContext
  ) async throws(ServiceError) -> Value {
    let bytes = try await body.json(request, context, limit: Self.mostBytes)
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else {
      throw .invalidQuery("the body is not a change of this version (reload the page)")
    }
    return value
  }
}
