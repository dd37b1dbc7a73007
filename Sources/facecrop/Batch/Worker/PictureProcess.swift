import ArgumentParser
import FaceCrop
import Glibc
import SystemPackage

/// A process of a worker's that crops one picture at a time, so that whatever a picture does to it costs one answer: reads
/// the worker's requests, says ``PictureMessage``s, until its input ends.
struct PictureProcess {
  private let gate: PictureGate
  private let lines: RequestLines
  /// Of all requests, so that models are loaded once.
  private let detectors: [DetectorChoice: any FaceDetector]
  private let defaults = WorkerRequest.defaults(of: CommandLine.arguments)

  init(options: BatchOptions) {
    lines = RequestLines()
    gate = PictureGate(memory: GrantedMemory(budget: options.admissionBudget, lines: lines))
    detectors = Dictionary(
      uniqueKeysWithValues: DetectorChoice.allCases.map { ($0, $0.detector(looksAgain: true)) })
  }

  func callAsFunction() async {
    // A terminal's Ctrl-C comes to all its processes; the worker decides what is finished.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) }
    Self.takeName()
    while let line = await lines.next() {
      let answer = await answer(to: line.bytes)
      Watchdog.rest()
      Self.say(.answer(String(JSONLines.safeLine(answer).dropLast())))
    }
  }

  /// Started by its link in /proc, it would be listed as "exe".
  private static func takeName() {
    guard let file = try? FileDescriptor.open(FilePath("/proc/self/comm"), .writeOnly, options: .closeOnExec) else {
      return
    }
    _ = try? file.closeAfter { try file.writeAll("facecrop".utf8) }
  }

  /// Ends the process if there is nobody to say it to.
  fileprivate static func say(_ message: PictureMessage) {
    do {
      _ = try FileDescriptor.standardOutput.writeAll(message.line.utf8)
    } catch {
      _exit(EXIT_FAILURE)
    }
  }

  private func answer(to line: [UInt8]) async -> WorkerAnswer {
    // Its number and a space, and the request.
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    let request: WorkerRequest
    do {
      request = try WorkerRequest(parts.count > 1 ? Array(parts[1]) : [], defaults: defaults)
    } catch {
      return WorkerAnswer(error, line: Int(String(decoding: parts[0], as: UTF8.self)) ?? 0)
    }
    PeakMemory.reset()
    let outcome = await outcome(of: request)
    return WorkerAnswer(request, outcome, peakMemory: PeakMemory.bytes)
  }

  private func outcome(of request: WorkerRequest) async -> Outcome {
    let look = request.options.look
    let cropper = FaceCropper(detector: detectors[look.detector]!, limits: look.limits)
    let wanted = request.options.wanted.request(CropDefaults.of(request.options.wanted), look: look)
    Watchdog.watch(look.limits.time)
    switch await gate.admit(
      by: cropper, wanted, isLossless: request.options.cut.lossless,
      { () throws(Outcome.Obstacle) in try PictureFile.Opened(request.input, limits: look.limits) })
    {
    case .refused(let outcome, _): return outcome
    case .admitted(let file, _):
      Self.say(.admitted)
      Watchdog.watch(look.limits.time)
      return await crop(file, request, wanted, cropper)
    }
  }

  private func crop(
    _ file: PictureFile, _ request: WorkerRequest, _ wanted: CropRequest, _ cropper: FaceCropper
  ) async -> Outcome {
    let encoding = request.options.wanted.encoding
    let cut = request.options.cut
    let format: ImageFormat
    do {
      format =
        try cut.format(encoding.namedFormat(for: request.output.string))
        ?? ImageSource.bytes(file.bytes).format() ?? .jpeg
      try encoding.check(format)
    } catch {
      return Outcome(.failed("request", "cannot be written so: \((error as? ValidationError)?.message ?? "\(error)")"))
    }
    let sizes = max(wanted.sizes.count, 1)
    let names = OutputNames(
      path: request.output, isNumbered: wanted.faces == .each, sizes: request.options.wanted.size.sides)
    let destination = PictureWork.Destination(
      folder: "", makesFolders: false,
      path: { crop, size in
        guard case .file(let path) = names[crop * sizes + size] else { return request.output }
        return path
      }, takesSeveralCrops: names.isNumbered, protected: [])
    let work = PictureWork(
      make: CropMaker(cropper: cropper, method: encoding.method(format, isLossless: cut.lossless)), request: wanted)
    return await work(file.bytes, of: request.input, stored: nil, to: destination).outcome
  }
}

/// The worker's, who asks for none back: what a picture took is free when it is answered, or its process has ended.
private struct GrantedMemory: PictureMemory {
  let budget: Int
  let lines: RequestLines

  func acquire(_ bytes: Int) async {
    // To wait for other pictures is not to hang.
    await Watchdog.pause {
      PictureProcess.say(.needs(bytes))
      // Without a worker there is nobody to crop for.
      guard await lines.next() != nil else { _exit(EXIT_FAILURE) }
    }
  }

  func release(_ bytes: Int) async {}
}
