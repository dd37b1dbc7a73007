import FoundationEssentials

/// The real command, measured from its start to its end.
struct CommandRuns {
  let program: String

  /// The figures of one cropped image.
  struct Memory: Encodable {
    let picture: String
    let fileBytes: Int
    /// Bytes of all coefficients in libjpeg, for a file of several scans.
    let coefficientBytes: Int?
    /// The upper bound of the peak memory in bytes.
    let limit: Int?
    /// Bytes.
    var peakMemory = Samples()
    /// Seconds.
    var wallTime = Samples()
    /// Seconds.
    var processorTime = Samples()
  }

  struct StartUp: Encodable {
    /// Seconds.
    var wallTime = Samples()
    /// Names of the libraries that the program loads.
    var libraries: [String] = []
  }

  /// Measures `facecrop crop` of each image.
  func memory(rounds: Int) throws -> [Memory] {
    let output = ".build/bench-pictures/crop.jpg"
    defer { try? FileManager.default.removeItem(atPath: output) }
    return try Picture.all.map { picture in
      var memory = Memory(
        picture: picture.name, fileBytes: try picture.fileSize(),
        coefficientBytes: picture.isProgressive ? picture.coefficientBytes : nil, limit: Limit.memory(of: picture))
      let arguments =
        [program, "crop", picture.path, "-o", output, "--padding", "\(Picture.padding)", "--progress", "none"]
      for _ in 0..<rounds {
        let run = try Subprocess.run(arguments)
        guard try run.peakMemory > Subprocess.ownPeakMemory() else {
          throw BenchError("the benchmark itself is larger than what it measures")
        }
        memory.peakMemory.append(Double(run.peakMemory))
        memory.wallTime.append(run.wallTime)
        memory.processorTime.append(run.processorTime)
      }
      return memory
    }
  }

  /// One output and ten of the same image, in one format.
  struct Outputs: Encodable {
    let format: String
    /// Seconds.
    var one = Samples()
    /// Seconds.
    var ten = Samples()
  }

  static let sizes = [512, 448, 384, 320, 256, 192, 128, 96, 64, 32]

  /// Measures `facecrop avatar` of the 12-megapixel image at the first of ``sizes``, and at all of them.
  func outputs(rounds: Int) throws -> [Outputs] {
    let folder = ".build/bench-pictures/outputs"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try ["jpg", "png", "webp"].map { format in
      var outputs = Outputs(format: format)
      func processorTime(_ sizes: [Int]) throws -> Double {
        try Subprocess.run([
          program, "avatar", Picture.baseline.path, "-o", "\(folder)/avatar.\(format)", "--progress", "none",
          "--upscale",
          "--size", sizes.map(String.init).joined(separator: ","),
        ]).processorTime
      }
      for _ in 0..<rounds {
        outputs.one.append(try processorTime([Self.sizes[0]]))
        outputs.ten.append(try processorTime(Self.sizes))
      }
      return outputs
    }
  }

  /// Measures `facecrop --help`, and lists the libraries that it loads.
  func startUp(rounds: Int) throws -> StartUp {
    var startUp = StartUp()
    for _ in 0..<rounds { startUp.wallTime.append(try Subprocess.run([program, "--help"]).wallTime) }
    // "libjpeg.so.62 => /lib/…"
    startUp.libraries = try Subprocess.run(["ldd", program]).output.split(separator: "\n").compactMap { line in
      line.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }.filter { $0.hasPrefix("lib") }.sorted()
    return startUp
  }
}
