/// The frames of an animated file before they are drawn: the interface of a format's reader of animations.
protocol FrameSource: AnyObject {
  /// The number of frames.
  var count: Int { get }
  /// The number of times that the animation plays; 0 repeats it forever.
  var plays: Int { get }
  /// The pixels to decode for all frames.
  var pixels: Int { get }

  /// The problems found so far.
  var faults: Faults { get }

  /// Decodes a frame, from 0 on, in this order.
  func frame(_ index: Int) throws(FaceCropError) -> FramePatch
}

/// A frame as stored: the part of the canvas that it changes.
struct FramePatch {
  /// The pixels, in RGB or RGBA.
  var pixels: PixelBuffer
  /// Their rectangle on the canvas; empty if it lies outside.
  var place: PixelRect
  /// Whether they are blended over the canvas, instead of replacing it.
  var isBlended: Bool
  var disposal: FrameDisposal
  var milliseconds: Int

  /// A frame that changes nothing, and shows for some time.
  static func empty(milliseconds: Int) -> FramePatch {
    let nowhere = PixelRect(x: 0, y: 0, width: 0, height: 0)
    return FramePatch(
      pixels: PixelBuffer(size: nowhere.size, format: .rgba, bytes: []), place: nowhere, isBlended: true,
      disposal: .keep, milliseconds: milliseconds)
  }
}

/// The change of a frame's rectangle before the next frame is drawn.
enum FrameDisposal {
  case keep
  /// It becomes transparent.
  case clear
  /// It gets the pixels from before the frame.
  case restore
}

/// A frame of an animation as it shows.
struct AnimationFrame {
  var index: Int
  /// The whole canvas: in RGB if it is opaque, or else in RGBA.
  var pixels: PixelBuffer
  var milliseconds: Int
  /// The problems in this frame and in earlier ones that did not prevent decoding.
  var faults: Set<CropWarning>
}

/// A reader of an animation's frames, in order, each drawn onto one canvas.
struct AnimationReader {
  /// The upper bound of bytes per pixel of the canvas: the canvas, its colors, a frame, and the pixels that a frame
  /// hides.
  static let bytesPerPixel = 16

  private let source: any FrameSource
  private let job: Job
  private var canvas: AnimationCanvas
  private var next = 0

  var count: Int { source.count }
  var plays: Int { source.plays }

  /// Creates a reader, and checks the limits for all frames before the first one is decoded.
  init(_ source: any FrameSource, canvas size: PixelSize, _ job: Job) throws(FaceCropError) {
    (self.source, self.job) = (source, job)
    guard source.count > 0 else { throw .corrupt("the animation has no frame") }
    try job.limits.check(.frames, source.count)
    try job.limits.check(
      .animationPixels, max(source.pixels, size.bytes(channels: 1).multipliedClamped(by: source.count)))
    try job.limits.check(.imageBytes, size.bytes(channels: Self.bytesPerPixel))
    canvas = try AnimationCanvas(size: size)
  }

  /// Draws the next frame; nil after the last one.
  mutating func draw() throws(FaceCropError) -> AnimationFrame? { try draw(upTo: next) }

  /// Draws all frames up to one, and returns it; nil if there are fewer. `index` is not below the next frame's.
  mutating func draw(upTo index: Int) throws(FaceCropError) -> AnimationFrame? {
    var milliseconds: Int?
    while next <= index, next < source.count {
      try job.check()
      let patch = try source.frame(next)
      canvas.draw(patch)
      next += 1
      milliseconds = patch.milliseconds
    }
    guard let milliseconds, next == index + 1 else { return nil }
    return AnimationFrame(
      index: index, pixels: canvas.shown(), milliseconds: milliseconds, faults: source.faults.found)
  }
}

extension ImageSession {
  /// Returns a reader of an animation's frames, with the limits of `job` checked.
  func animation(_ job: Job) throws(FaceCropError) -> AnimationReader {
    guard let source = try frames() else {
      throw .unsupported("facecrop reads only the first frame of an animated \(format.name) file (choose it)")
    }
    return try AnimationReader(source, canvas: header.size, job)
  }

  /// Returns a session for a frame of an animation, from 0 on. The first one needs no animation.
  func atFrame(_ number: Int, _ job: Job) throws(FaceCropError) -> any ImageSession {
    guard number != 0 else { return self }
    guard number > 0, header.isAnimated else { throw .notAnimated(frame: number) }
    var reader = try animation(job)
    guard let frame = try reader.draw(upTo: number) else { throw .notAnimated(frame: number) }
    return CanvasSession(frame, of: self, job: job)
  }
}

extension FaceCropError {
  /// The error for a plan of a frame that the image lacks.
  static func notAnimated(frame: Int) -> FaceCropError {
    .invalidRequest(
      "the plan is for frame \(frame) of an animation, which the image lacks (pass the plan of this image)")
  }

  /// The error for an output format without animations.
  static func noAnimation(in format: ImageFormat) -> FaceCropError {
    .invalidRequest(
      "facecrop writes no animated \(format.name) (write GIF or WebP, or choose the first or the best frame)")
  }
}
