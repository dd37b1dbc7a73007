import FaceCrop

/// A gate that reads each image as soon as there is memory for its file and its processing.
struct PictureGate: Sendable {
  enum Answer {
    /// The image was read. Release `weight` when it is complete.
    case admitted(PictureFile, weight: Int)
    /// The image was refused, with the known version of the file.
    case refused(Outcome.Obstacle, FileVersion?)
  }

  let memory: any PictureMemory

  /// Reads an image when there is memory for it, as `cropper` estimates for the request and the image's plan. `method`
  /// returns the method for crops of a format.
  func admit(
    by cropper: FaceCropper, _ request: CropRequest, plan: CropPlan? = nil,
    method: (ImageFormat) -> CropMaker.Method,
    _ file: () throws(Outcome.Obstacle) -> PictureFile.Opened
  ) async -> Answer {
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
      await memory.release(weight)
      return .refused(Outcome.Obstacle(error), version)
    }
  }

  private func acquire(_ bytes: Int, _ weight: inout Int) async throws(Outcome.Obstacle) {
    guard weight + bytes <= memory.budget else {
      throw .failed(
        "memory",
        "the image may need \((weight + bytes) >> 20) MiB, more than the \(memory.budget >> 20) MiB available",
        "raise it with \(option: "memory")", isTransient: true)
    }
    await memory.acquire(bytes)
    weight += bytes
  }
}
