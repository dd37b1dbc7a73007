import FaceCrop

/// Reads pictures, each as soon as there is memory for its file and for what it will take.
struct PictureGate: Sendable {
  enum Answer {
    /// `weight` is to be released when the picture is done.
    case admitted(PictureFile, weight: Int)
    /// What keeps it from being read, with what is known of the file.
    case refused(Outcome.Obstacle, FileVersion?)
  }

  let memory: any PictureMemory

  /// - Parameters:
  ///   - cropper: knows what the picture will take.
  ///   - hasPlan: a stored one is applied.
  ///   - method: how crops of a picture of that format are made.
  ///   - file: opens it.
  func admit(
    by cropper: FaceCropper, _ request: CropRequest, hasPlan: Bool = false,
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
        MemoryBudget.estimate(picture.bytes, by: cropper, request, hasPlan: hasPlan, method: method), &weight)
      return .admitted(picture, weight: weight)
    } catch {
      await memory.release(weight)
      let obstacle = error as? Outcome.Obstacle ?? (error as? FaceCropError).map { Outcome.Obstacle($0) }
      return .refused(obstacle ?? .failed("internal", "\(error)"), version)
    }
  }

  private func acquire(_ bytes: Int, _ weight: inout Int) async throws(Outcome.Obstacle) {
    guard weight + bytes <= memory.budget else {
      throw .failed(
        "memory",
        "the image may need \((weight + bytes) >> 20) MiB, more than the \(memory.budget >> 20) MiB available (raise it with --memory)",
        isTransient: true)
    }
    await memory.acquire(bytes)
    weight += bytes
  }
}
