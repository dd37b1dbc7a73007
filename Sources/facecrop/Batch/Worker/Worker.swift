import ArgumentParser
import FaceCrop
import SystemPackage

/// Serves another program: a request a line on standard input, an answer a line on standard output, each as soon as its
/// picture is done, until the input ends or a signal comes; then a summary.
///
/// It reads no pictures itself. Each of its jobs has a ``PictureProcess``, which is replaced when a picture has ended it.
struct Worker {
  let options: BatchOptions
  let stop: StopRequest

  /// Throws what the process's status is to be.
  func callAsFunction() async throws {
    let requests = RequestLines(.standardInput)
    stop.finishPictures { requests.end() }
    let answers = WorkerAnswers { requests.end() }
    let lane = WorkerLane(
      requests: requests, answers: answers, entry: Admission(budget: 1),
      memory: Admission(budget: options.admissionBudget))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<options.jobCount { group.addTask { await lane() } }
    }
    await answers.summarize()
    if let fault = await answers.fault {
      Console.say("facecrop: \(fault.file): \(fault.message)")
      throw ExitCode.failure
    }
    if stop.isRequested { throw ExitCode(Interruption.exitStatus) }
  }
}
