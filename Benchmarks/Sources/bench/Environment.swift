import FoundationEssentials

/// The environment of the figures, without names of machines and folders.
struct Environment: Encodable {
  let date: String
  let processor: String
  let processors: Int
  let swift: String
  let libjpegTurbo: String
  let openCV: String

  init() throws {
    date = Date().formatted(.iso8601.year().month().day())
    processor = try Self.processorName()
    processors = ProcessInfo.processInfo.activeProcessorCount
    swift = try Self.line(of: ["swift", "--version"])
    libjpegTurbo = try Self.line(of: ["dpkg-query", "-W", "-f", "${Version}", "libjpeg62-turbo"])
    openCV = try Self.line(of: ["dpkg-query", "-W", "-f", "${Version}", "libopencv-core406"])
  }

  private static func line(of command: [String]) throws -> String {
    try Subprocess.run(command).output.split(separator: "\n").first.map(String.init) ?? "unknown"
  }

  private static func processorName() throws -> String {
    let lines = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8).split(separator: "\n")
    let line = lines.first { $0.hasPrefix("model name") }
    return line?.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? "unknown"
  }
}
