import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of a review: the report's editor for a batch, whose corrections are saved and rendered at once. Files are
/// named by their numbers in the report, so no path comes from a client.
struct Review: Sendable {
  let desk: ReviewDesk
  let live: LiveSettings
  let bodies: BodyMemory

  /// Upper bounds of a correction.
  static let mostBytes = 256 << 10
  static let mostFrames = 1_000

  init(desk: ReviewDesk, live: LiveSettings, bodies: BodyMemory) {
    (self.desk, self.live, self.bodies) = (desk, live, bodies)
  }

  func addRoutes(to group: PageRoutes) {
    group.get("review") { _, _ in await page() }
    group.get("review/report.css") { _, _ in Playground.file(PackageResources.report_css, "text/css") }
    group.get("review/report.js") { _, _ in Playground.file(Self.script, "text/javascript") }
    group.get("review/changes") { request, _ in
      let after = request.uri.queryParameters["after"].flatMap { Int(String($0)) } ?? 0
      return Self.json(Self.text(await desk.changes(after: after)))
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
      return Self.json(Array("{}".utf8))
    }
    group.post("review/done") { request, context in
      let _: Empty = try await read(request, context)
      let done = try await desk.finish()
      return try Playground.json(
        Done(
          plans: desk.plansPath, count: done.count, command: done.command, isBusy: done.news.isBusy,
          isWaiting: done.news.isWaiting))
    }
    let files = ReviewFiles(desk: desk)
    group.get("review/inputs/:index") { request, context in
      try await files.input(Self.number("index", context))
    }
    group.get("review/outputs/:index/:output") { request, context in
      try await files.output(Self.number("index", context), Self.number("output", context), isVersioned(request))
    }
    group.get("review/thumbnails/:index") { request, context in
      try await files.thumbnail(Self.number("index", context), nil, isVersioned(request))
    }
    group.get("review/thumbnails/:index/:output") { request, context in
      try await files.thumbnail(
        Self.number("index", context), Self.number("output", context), isVersioned(request))
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

  private static let script: [UInt8] = {
    let parts = [
      PackageResources.report_page_js, PackageResources.frames_js, PackageResources.changes_js,
      PackageResources.server_store_js, PackageResources.list_js, PackageResources.editor_js,
    ]
    return Array("\"use strict\";\n".utf8) + Array(parts.joined(separator: [UInt8(ascii: "\n")]))
  }()

  /// The report's page with files in place of its own style and script.
  private static let template: [String] = {
    let text = String(decoding: PackageResources.report_html, as: UTF8.self)
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
    let texts = [page.data, Self.text(page.news)]
    var bytes: [UInt8] = []
    for (number, part) in Self.template.enumerated() {
      bytes += part.utf8
      if texts.indices.contains(number) { bytes += Self.inScript(texts[number]) }
    }
    return Playground.file(bytes, "text/html")
  }

  /// Returns JSON that cannot end a script element early.
  private static func inScript(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(UInt8(ascii: "<")) else { return json }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.count + 1_024)
    for byte in json {
      if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) }
    }
    return bytes
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

  private struct Done: Encodable {
    var plans: String
    var count: Int
    var command: String
    var isBusy: Bool
    var isWaiting: Bool
  }

  /// The history of an image, as the page gets it.
  private struct PageState: Encodable {
    var version: Int
    var frames: [ReviewHistory.Frame]?
    var undo: Int
    var redo: Int
    var isPending: Bool
    var fault: String?

    init(_ change: ReviewDesk.Change) {
      let state = change.state
      (version, frames, isPending, fault) = (state.version, state.frames, state.isPending, change.fault)
      (undo, redo) = (state.undo.count, state.redo.count)
    }
  }

  private static func text(_ change: ReviewDesk.Change) -> [UInt8] {
    let state = (try? JSONEncoder.review.encode(PageState(change))) ?? Data("{}".utf8)
    return Array("{\"index\":\(change.index),\"state\":".utf8) + state + Array(",\"entry\":".utf8) + change.line
      + Array("}".utf8)
  }

  private static func text(_ news: ReviewDesk.News) -> [UInt8] {
    let head =
      "{\"start\":\"\(news.start)\",\"sequence\":\(news.sequence),\"isBusy\":\(news.isBusy),"
      + "\"isWaiting\":\(news.isWaiting),"
      + (news.fault.map { "\"fault\":\"\(DisplayText.jsonString($0))\"," } ?? "") + "\"changes\":["
    return Array(head.utf8) + Array(news.changes.map(text).joined(separator: [UInt8(ascii: ",")])) + Array("]}".utf8)
  }

  private static func json(_ answer: ReviewDesk.Answer) -> Response {
    switch answer {
    case .taken(let change): json(text(change))
    case .conflict(let change): json(text(change), status: .conflict)
    }
  }

  private static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  private func read<Value: Decodable & Sendable>(
    _ request: Request, _ context: CallContext
  ) async throws(ServiceError) -> Value {
    let bytes = try await PageBody(live: live, bodies: bodies).json(request, context, limit: Self.mostBytes)
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else {
      throw .invalidQuery("the body is not a change of this version (reload the page)")
    }
    return value
  }
}
