@testable import FaceCrop

/// A target that draws all frames of an animation, and writes some of them as GIF.
///
/// Promises: frames have the size of the canvas, and allowing damage changes none of the intact ones. What is written can
/// be read, and shows the same times.
enum AnimationTarget {
  private static let limits = {
    var limits = PictureTarget.limits
    limits.frames = 50
    limits.animationPixels = 1 << 18
    return limits
  }()
  private static let mostWritten = 4

  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let input = FuzzInput(bytes), let strict = frames(of: input.file, allowsDamage: false) else { return }
    guard let lenient = frames(of: input.file, allowsDamage: true) else {
      throw Finding("fails only when damage is allowed")
    }
    try Finding.unless(strict.map(\.pixels) == lenient.map(\.pixels), "other frames when damage is allowed")
    for frame in strict {
      try Finding.unless(frame.pixels.size == strict[0].pixels.size, "a frame of \(frame.pixels.size)")
    }
    let written = Array(strict.prefix(mostWritten))
    // A file of one frame is no animation.
    guard written.count > 1, let first = written.first, first.pixels.size.longSide < 2_048 else { return }
    do throws(FaceCropError) {
      let job = Observer().job(limits: PictureTarget.limits)
      let encoder = try Codecs.animationEncoder(
        for: EncoderInput(pixels: first.pixels), as: .gif, plays: 0, job: job)
      for frame in written { try encoder.add(frame.pixels, milliseconds: frame.milliseconds / 10 * 10) }
      let file = try encoder.finish()
      guard let again = frames(of: file, allowsDamage: false) else { throw .corrupt("a written GIF cannot be read") }
      guard again.count == written.count else { throw .corrupt("\(again.count) frames were written") }
      for (own, other) in zip(again, written) where own.milliseconds != other.milliseconds / 10 * 10 {
        throw .corrupt("a frame shows for \(own.milliseconds) ms, not \(other.milliseconds)")
      }
    } catch .overLimit, .outOfMemory {
      return
    } catch {
      throw Finding("\(error)")
    }
  }

  /// Returns the frames; nil if the file is at fault, or no animation.
  private static func frames(of file: [UInt8], allowsDamage: Bool) -> [AnimationFrame]? {
    let job = Observer().job(limits: limits)
    return try? Codecs.withSession(file.span, isFileMapping: false, allowsDamage: allowsDamage, job: job) {
      (session) throws(FaceCropError) -> [AnimationFrame] in
      try session.checkHeader(fileBytes: file.count, limits)
      guard session.header.isAnimated else { throw .unsupported("no animation") }
      var reader = try session.animation(job)
      var frames: [AnimationFrame] = []
      while let frame = try reader.draw() { frames.append(frame) }
      return frames
    }
  }
}
