import Foundation
import Hummingbird
import HummingbirdTesting

@testable import FaceCropServer

/// An output folder as `facecrop batch --report` writes it, with two images.
struct ReviewedBatch {
  let folder: URL
  var outputs: String { folder.appending(path: "out").path }

  init(name: String = "a.jpg", entries: Int = 2, _ change: (inout [String: Any]) -> Void = { _ in }) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "review-\(UUID())").resolvingSymlinksInPath()
    for part in ["in", "out", "report-thumbnails"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: part), withIntermediateDirectories: true)
    }
    try write(
      Pictures.astronaut, to: "in/a.jpg", "out/a.jpg", "report-thumbnails/ab12.jpg", "report-thumbnails/ab12-1.jpg")
    try write(Array("secret".utf8), to: "secret.txt", "out/notes.txt", "in/notes.jpg")
    var lines: [String] = []
    for number in 0..<entries {
      var entry: [String: Any] = [
        "bytes": Pictures.astronaut.count, "content": "c", "detector": "yunet", "height": 512, "width": 512,
        "input": "in/\(name)", "location": number == 0 ? "../in/a.jpg" : "../in/notes.jpg", "status": "cropped",
        "link": "in/a.jpg", "thumbnail": "ab12",
        "faces": [["x": 0.3, "y": 0.1, "width": 0.2, "height": 0.25, "score": 1]],
        "crops": [["region": ["x": 0.25, "y": 0, "width": 0.5, "height": 0.5], "faces": [0]]],
        "outputs": [["file": number == 0 ? "a.jpg" : "notes.txt", "width": 96, "height": 96, "link": "out/a.jpg"]],
      ]
      if number > 1 { entry["location"] = "../in/\(number).jpg" }
      change(&entry)
      let json = try JSONSerialization.data(withJSONObject: entry, options: [.sortedKeys, .withoutEscapingSlashes])
      lines.append(String(decoding: json, as: UTF8.self))
    }
    try write(Array("{\"format\":\"facecrop-manifest\",\"version\":1}\n".utf8), to: "out/manifest.ndjson")
    let data =
      "{\"command\":\"facecrop batch --plan-in plans.ndjson\",\"plans\":\"plans.ndjson\",\"entries\":[\n"
      + lines.joined(separator: ",\n") + "\n]}"
    let page =
      "<title>facecrop batch report</title>\n"
      + "<script type=\"application/json\" id=\"data\">\(data)\n</script>"
    try write(Array(page.utf8), to: "report.html")
    let record: [String: Any] = [
      "format": "facecrop-report", "version": 1, "page": folder.path + "/report.html",
      "thumbnails": folder.path + "/report-thumbnails", "manifest": outputs + "/manifest.ndjson", "outputs": outputs,
      "directory": folder.path, "arguments": ["batch", "-r", "in", "-d", "out", "--report", "report.html"],
    ]
    try write(Array(JSONSerialization.data(withJSONObject: record)), to: "out/.facecrop-report.json")
  }

  func write(_ bytes: [UInt8], to names: String...) throws {
    for name in names { try Data(bytes).write(to: folder.appending(path: name)) }
  }

  func text(_ name: String) -> String {
    let bytes = FileManager.default.contents(atPath: folder.appending(path: name).path)
    return String(decoding: bytes ?? Data(), as: UTF8.self)
  }

  /// Writes a command that notes its runs in runs.txt, changes the report's page by a script of sed, and renews it.
  func command(_ script: String = "") throws -> String {
    let text = """
      #!/bin/sh
      echo run >> '\(folder.path)/runs.txt'
      sed -e '\(script)' report.html > report.new && mv report.new report.html
      """
    try write(Array(text.utf8), to: "facecrop")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.appending(path: "facecrop").path)
    return folder.appending(path: "facecrop").path
  }

  /// Changes the record of the run.
  func changeRecord(_ change: (inout [String: Any]) -> Void) throws {
    let bytes = Data(text("out/.facecrop-report.json").utf8)
    var record = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
    change(&record)
    try write(Array(JSONSerialization.data(withJSONObject: record)), to: "out/.facecrop-report.json")
  }

  /// Runs `body` with a server, whose command makes nothing if none is given, and a client that is signed in unless the
  /// settings have a token.
  func serve(
    command: String = "/bin/false", mostBytes: Int = ReviewHistory.mostBytes,
    _ change: (inout Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
  ) async throws {
    let desk = try ReviewDesk(outputs, environment: ["FACECROP": command], mostBytes: mostBytes)
    let settings = Settings.patient {
      $0.review = outputs
      change(&$0)
    }
    let server = Server(settings, desk: desk)
    let isSignedIn = settings.playgroundToken.isEmpty
    try await server.application.test(.live) { client in
      try await body(isSignedIn ? SignedIn(client: client, token: server.pageToken) : client)
    }
  }

  /// Returns the number of a file on the disk.
  func number(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)[.systemFileNumber] as? Int
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
