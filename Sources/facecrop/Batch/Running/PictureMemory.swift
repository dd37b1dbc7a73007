import FaceCrop

/// The memory that images share.
protocol PictureMemory: Sendable {
  /// The whole memory in bytes.
  var budget: Int { get }

  /// Waits until this number of bytes, up to the budget, is free, and takes them.
  func acquire(_ bytes: Int) async

  func release(_ bytes: Int) async
}

/// The answer to an image that needs memory.
enum PictureAdmission {
  /// The image was read. Release `weight` when it is complete.
  case admitted(PictureFile, weight: Int)
  /// The image was refused, with the known version of the file.
  case refused(Outcome.Obstacle, FileVersion?)
}

extension PictureMemory {
  /// Reads an image when there is memory for it, as `cropper` estimates for the request and the image's plan. `method`
  /// returns the method for crops of a format.
  func admit(
    by cropper: FaceCropper, _ request: CropRequest, plan: CropPlan? = nil, method: (ImageFormat) -> CropMaker.Method,
    _ file: () throws(Outcome.Obstacle) -> PictureFile.Opened
  ) async -> PictureAdmission {
    var weight = 0
    var version: FileVersion?
    do {
      let opened = try file()
      version = opened.version
      try await acquire(opened.version.bytes, &weight)
      let picture = try opened.read()
      try await acquire(
        MemoryBudget.estimate(picture.source, by: cropper, request, plan: plan, method: method), &weight)
      return .admitted(picture, weight: weight)
    } catch {
      await release(weight)
      return .refused(Outcome.Obstacle(error), version)
    }
  }

  private func acquire(_ bytes: Int, _ weight: inout Int) async throws(Outcome.Obstacle) {
    guard weight + bytes <= budget else {
      throw .failed(
        "memory", "the image may need \((weight + bytes) >> 20) MiB, more than the \(budget >> 20) MiB available",
        "raise it with \(option: "memory")", isTransient: true)
    }
    await acquire(bytes)
    weight += bytes
  }
}

/// The memory of a run: the sum of the images' memory stays within the budget, first come, first served.
struct SharedMemory: PictureMemory {
  let budget: Int
  private let queue: AdmissionQueue

  init(budget: Int) {
    self.budget = budget
    queue = AdmissionQueue(budget: budget)
  }

  var waiting: Int { queue.waiting }

  func acquire(_ bytes: Int) async {
    precondition(bytes <= budget, "it would wait for ever")
    // The tasks of a run are never cancelled.
    do { try await queue.enter(AdmissionQueue.Demand(memory: bytes)) } catch { preconditionFailure("\(error)") }
  }

  func release(_ bytes: Int) { queue.leave(AdmissionQueue.Demand(memory: bytes)) }
}
