import ArgumentParser
import FaceCrop
import Glibc
import SystemPackage

/// A worker's process that crops one image at a time, so that a crash costs only one answer. It reads the worker's
/// requests, and sends ``PictureMessage``s, until its input ends.
struct PictureProcess {
  private let memory: GrantedMemory
  private let lines: RequestLines
  private let channel = PictureChannel()
  /// The croppers, whose models and memory all requests share.
  private let croppers: [DetectorChoice: FaceCropper]

  init(options: BatchOptions) {
    // The worker prefixes each request with a number.
    lines = RequestLines(channel.requests, longest: RequestLines.longest + 32)
    memory = GrantedMemory(budget: options.admissionBudget, lines: lines, channel: channel)
    croppers = Dictionary(
      uniqueKeysWithValues: DetectorChoice.allCases.map { ($0, FaceCropper(detector: $0.detector(looksAgain: true))) })
  }

  func callAsFunction() async {
    // The terminal sends Ctrl-C to all processes, and the worker decides what to finish.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) }
    // The process would be named "exe", because it is started by its link in /proc.
    FileDescriptor.tellKernel("facecrop", in: "/proc/self/comm")
    var parser = WorkerRequest.Parser(defaults: WorkerRequest.defaults(of: LaunchArguments.texts))
    while let line = await lines.next() {
      let answer = await answer(to: line.bytes, &parser)
      Watchdog.rest()
      channel.say(.answer(Array(answer.line.utf8.dropLast())))
    }
  }

  private func answer(to line: [UInt8], _ parser: inout WorkerRequest.Parser) async -> WorkerAnswer {
    // The line has a number, a space, and the request.
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    let request: WorkerRequest
    do {
      request = try parser.request(parts.count > 1 ? Array(parts[1]) : [])
    } catch {
      return WorkerAnswer(error, line: Int(String(decoding: parts[0], as: UTF8.self)) ?? 0)
    }
    PeakMemory.reset()
    let outcome = await outcome(of: request)
    return WorkerAnswer(request, outcome, peakMemory: PeakMemory.bytes)
  }

  private func outcome(of request: WorkerRequest) async -> Outcome {
    let look = request.options.look
    let cropper = croppers[look.detector]!.limited(to: look.limits)
    let asked = request.options.wanted.request(.crop, look: look)
    let sidecar = Sidecar(beside: request.input, for: asked)
    var (wanted, problem) = await asked.reading(sidecar, beside: request.input, within: look.limits.time)
    do throws(FileError) {
      wanted.output.background = try await request.options.wanted.encoding.backdrop.read(look.limits)
    } catch {
      return Outcome(error)
    }
    Watchdog.watch(look.limits.longestTime)
    switch await memory.admit(
      by: cropper, wanted, method: { method(of: request, own: $0) },
      { () throws(Outcome.Obstacle) in
        try PictureFile.Opened(request.input, page: request.options.page.page, limits: look.limits)
      })
    {
    case .refused(let obstacle, _): return Outcome(obstacle)
    case .admitted(let file, _):
      channel.say(.admitted)
      Watchdog.watch(look.limits.longestTime)
      return await crop(file, request, wanted, cropper, problem)
    }
  }

  private func crop(
    _ file: PictureFile, _ request: WorkerRequest, _ wanted: CropRequest, _ cropper: FaceCropper,
    _ sidecarProblem: String?
  ) async -> Outcome {
    let own = try? ImageSource.bytes(file.bytes).format()
    let format: ImageFormat
    do {
      format = try self.format(of: request, own: own ?? .jpeg)
      try request.options.wanted.encoding.check(format)
    } catch {
      return Outcome(
        .failed("request", "the output cannot be written: \((error as? ValidationError)?.message ?? "\(error)")"))
    }
    let work = PictureWork(
      make: CropMaker(
        cropper: cropper, method: method(of: request, own: format),
        standard: request.options.wanted.framing.standard(.crop)),
      request: wanted, writesSidecars: request.options.wanted.color.sidecar, sidecarProblem: sidecarProblem,
      isDryRun: request.output == nil)
    let names = OutputNames(
      path: request.output ?? request.input, isNumbered: wanted.search.faces == .each,
      sizes: request.options.wanted.size.labels)
    let destination = PictureWork.Destination(
      path: { names[$0.number, $1] }, takesSeveralCrops: names.isNumbered, gate: WriteGate(input: request.input),
      known: request.replaces ? nil : KnownOutputs(made: [:], overwrites: false))
    var outcome = await work(file.source, stored: nil, to: destination).outcome
    if let kept = outcome.outputs?.first(where: { $0.kept == true }) {
      outcome = Outcome(
        .failed(
          "exists", "the output '\(kept.file)' exists with other content", "remove it, or pass \(flag: "clobber")"))
    }
    if work.isDryRun { outcome.outputs = nil }
    return outcome
  }

  /// Returns the output format of a request for an image of the format `own`.
  private func format(of request: WorkerRequest, own: ImageFormat) throws -> ImageFormat {
    let (encoding, cut) = (request.options.wanted.encoding, request.options.cut)
    return try cut.format(encoding.namedFormat(for: request.output?.string))
      ?? own.usualFormat(for: request.options.wanted.face.animation)
  }

  private func method(of request: WorkerRequest, own: ImageFormat) -> CropMaker.Method {
    // An invalid format is refused later, when the output is written.
    let format = (try? format(of: request, own: own)) ?? .jpeg
    return request.options.wanted.method(format, isLossless: request.options.cut.lossless, .crop)
  }
}

/// The worker's memory. Nothing is released, because the worker frees it after the answer, or when the process ends.
private struct GrantedMemory: PictureMemory {
  let budget: Int
  let lines: RequestLines
  let channel: PictureChannel

  func acquire(_ bytes: Int) async {
    // Waiting for other images does not count as hanging.
    await Watchdog.pause {
      channel.say(.needs(bytes))
      // Without a worker the process ends.
      guard await lines.next() != nil else { _exit(EXIT_FAILURE) }
    }
  }

  func release(_ bytes: Int) async {}
}
