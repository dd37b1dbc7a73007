import ArgumentParser
import FaceCrop
import FoundationEssentials
import SystemPackage

/// Serves another program: a request a line on standard input, an answer a line on standard output, each as soon as its
/// picture is done, until the input ends or a signal comes.
struct Worker {
  let options: BatchOptions
  let stop: StopRequest
  private let gate: PictureGate
  /// Of all requests, so that models are loaded once.
  private let detectors: [DetectorChoice: any FaceDetector]
  private let answers = Answers()

  init(options: BatchOptions, stop: StopRequest) {
    self.options = options
    self.stop = stop
    gate = PictureGate(admission: Admission(budget: options.admissionBudget))
    detectors = Dictionary(
      uniqueKeysWithValues: DetectorChoice.allCases.map { ($0, $0.detector(looksAgain: true)) })
  }

  /// Throws what the process's status is to be.
  func callAsFunction() async throws {
    let lines = RequestLines()
    stop.finishPictures { lines.end() }
    let defaults = WorkerRequest.defaults(of: CommandLine.arguments)
    await withTaskGroup(of: Void.self) { group in
      var running = 0
      var number = 0
      while await !answers.isClosed, let line = await lines.next() {
        number += 1
        if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
        guard let task = await task(line, number, defaults) else { continue }
        if running >= options.jobCount {
          await group.next()
          running -= 1
        }
        running += 1
        group.addTask { await task() }
      }
    }
    if let fault = await answers.fault {
      Console.write("facecrop: \(fault.file) \(fault.message)\n", to: .standardError)
      throw ExitCode.failure
    }
    if stop.isRequested { throw ExitCode(Interruption.exitStatus) }
  }

  /// What remains to be done for a request that was read and let in; nil if it has its answer already.
  private func task(_ line: [UInt8], _ number: Int, _ defaults: [String]) async -> (@Sendable () async -> Void)? {
    let request: WorkerRequest
    do {
      request = try WorkerRequest(line, defaults: defaults)
    } catch {
      await answers.write(WorkerAnswer(error, line: number))
      return nil
    }
    let look = request.options.look
    let cropper = FaceCropper(detector: detectors[look.detector]!, limits: look.limits)
    let wanted = request.options.wanted.request(CropDefaults.of(request.options.wanted), look: look)
    let answer = await gate.admit(by: cropper, wanted, isLossless: request.options.cut.lossless) {
      () throws(Outcome.Obstacle) in
      try PictureFile.Opened(request.input, limits: look.limits)
    }
    switch answer {
    case .refused(let outcome, _):
      await answers.write(WorkerAnswer(request, outcome))
      return nil
    case .admitted(let file, let weight):
      return { [answers, gate] in
        let outcome = await Self.outcome(request, wanted, file, cropper)
        await answers.write(WorkerAnswer(request, outcome))
        await gate.admission.release(weight)
      }
    }
  }

  private static func outcome(
    _ request: WorkerRequest, _ wanted: CropRequest, _ file: PictureFile, _ cropper: FaceCropper
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

/// Writes answers, one at a time.
private actor Answers {
  /// Why no more can be written; a reader that went away is no fault.
  private(set) var fault: FileError?
  private(set) var isClosed = false

  func write(_ answer: WorkerAnswer) {
    do {
      _ = try FileDescriptor.standardOutput.writeAll(JSONLines.line(answer).utf8)
    } catch {
      isClosed = true
      let error = FileError.writing("standard output", error)
      if fault == nil && !error.isBrokenPipe { fault = error }
    }
  }
}
