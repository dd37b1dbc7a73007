import ArgumentParser
import FaceCrop
import SystemPackage

/// A server for another program. It reads a request per line on standard input, and prints an answer per line as soon
/// as its image is complete. At the end of the input, or after a signal, it prints a summary.
///
/// It decodes no images itself. Each job has a ``PictureProcess``, which is replaced after a crash.
struct Worker {
  let options: BatchOptions
  let stop: StopRequest

  /// Serves requests, and throws the exit status.
  func callAsFunction() async throws {
    // The inputs are not known yet, but answers belong into no image.
    let outputs: [FilePath] = ["/proc/self/fd/1", "/proc/self/fd/2"]
    // A pipe would never end, since this process itself can write to it.
    try StandardDescriptors.check(
      outputs.filter { FileStatus($0)?.isRegular == true && (try? ImageSource.file($0).format()) != nil })
    let requests = RequestLines(.standardInput)
    stop.finishPictures { requests.end() }
    let answers = WorkerAnswers { requests.end() }
    let lane = WorkerLane(
      requests: requests, answers: answers, entry: SharedMemory(budget: 1),
      memory: SharedMemory(budget: options.admissionBudget))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<options.jobCount { group.addTask { await lane() } }
    }
    await answers.summarize()
    if let fault = await answers.fault { throw fault }
    if stop.isRequested { throw ExitCode(Interruption.exitStatus) }
  }
}
