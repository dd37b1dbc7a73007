import FaceCrop
import FoundationEssentials
import Glibc
import SystemPackage

/// The memory of the library's requests, each in its own process that has run the same request with a small image
/// before. Models and buffers that a service has anyway are not counted.
enum LibraryRuns {
  enum Case: String, CaseIterable {
    /// Ten photos with `ImageImporter`.
    case imports = "import"
    /// One photo at 1,000 pixels.
    case load
    /// A face's region at full size, without the output's own pixels.
    case faceCrop = "face-crop"

    var title: String {
      switch self {
      case .imports: "import of ten 12 MP photos"
      case .load: "a 12 MP JPEG at 1,000 pixels"
      case .faceCrop: "a face crop of it at full size, without the output's pixels"
      }
    }

    /// Upper bound in MiB.
    var asked: Int {
      switch self {
      case .imports: 30
      case .load: 12
      case .faceCrop: 2
      }
    }
  }

  static func measure(rounds: Int) throws -> String {
    let rows = try Case.allCases.map { one in
      var samples = Samples()
      for _ in 0..<rounds {
        // Otherwise the allocator keeps the memory of large images, and the figure depends on how much (mallopt(3)).
        let run = try Subprocess.run([
          "env", "MALLOC_MMAP_THRESHOLD_=131072", Subprocess.thisProgram, Options.library, "--case", one.rawValue,
        ])
        guard let bytes = Double(run.output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
          throw BenchError("no figure: \(run.output)")
        }
        samples.append(bytes)
      }
      let tenths = Int((samples.median * 10 / 1_048_576).rounded())
      return "| \(one.title) | \(one.asked) | \(tenths / 10).\(tenths % 10) |"
    }
    return """
      | rise of resident memory, MiB | limit | measured |
      |---|---:|---:|
      \(rows.joined(separator: "\n"))
      """
  }

  /// Runs one case in this process and prints bytes.
  static func run(_ one: Case) async throws {
    let manager = ImageManager()
    // Like a request's body; the pages of a file would add to the memory.
    let photographs = try (0..<10).map { number in
      ImageAsset.bytes(Array(try Data(contentsOf: URL(filePath: BatchRuns.path(number)))))
    }
    let small = ImageAsset.bytes(try Picture.small())
    switch one {
    case .imports:
      let importer = ImageImporter(manager: manager)
      _ = await importer.importAll([small])
      let (rise, results) = await rise { await importer.importAll(photographs) }
      for result in results { _ = try result.get() }
      print(rise)
    case .load:
      let target = PixelSize(width: 1_000, height: 1_000)
      _ = try await manager.image(for: small, targetSize: target)
      print(try await rise { try await manager.image(for: photographs[0], targetSize: target) }.bytes)
    case .faceCrop:
      var options = ImageRequestOptions()
      options.crop = .faces(framing: .avatar)
      _ = try await manager.image(for: small, options: options)
      let (bytes, response) = try await rise { [options] in
        try await manager.image(for: photographs[0], options: options)
      }
      guard !response.faces.isEmpty else { throw BenchError("no face was found") }
      print(bytes - response.image.base.bytes.count)
    }
  }

  /// Measures how far the peak of resident memory rises.
  private static func rise<Value>(_ body: () async throws -> Value) async rethrows -> (bytes: Int, value: Value) {
    // Resets the peak (proc(5)).
    if let file = try? FileDescriptor.open(FilePath("/proc/self/clear_refs"), .writeOnly) {
      _ = try? file.closeAfter { try file.writeAll("5".utf8) }
    }
    let before = status("VmRSS:")
    let value = try await body()
    return (status("VmHWM:") - before, value)
  }

  /// Returns the bytes of a line in KiB.
  private static func status(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    let number = line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
    return (number ?? 0) * 1_024
  }
}
