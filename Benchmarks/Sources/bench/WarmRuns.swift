import CFullDecode
import FaceCrop
import FoundationEssentials

/// The library with loaded models, from a file's bytes to a JPEG of 512 pixels, compared with a full decode.
enum WarmRuns {
  /// Seconds of processor time of all threads, round by round.
  struct Times: Encodable {
    /// Decoding to RGB by libjpeg-turbo, from memory into reused memory.
    var fullDecode = Samples()
    /// Decoding into memory that the system must first provide.
    var fullDecodeIntoNewMemory = Samples()
    var yunet = Samples()
    var haar = Samples()
  }

  /// Measures the 12-megapixel baseline image alternately, and returns the samples as JSON.
  static func measure(rounds: Int) async throws -> String {
    let picture = Picture.baseline
    let bytes = try picture.bytes()
    let pixelBytes = picture.width * picture.height * 3
    let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: pixelBytes)
    defer { unsafe pixels.deallocate() }
    let croppers: [(WritableKeyPath<Times, Samples>, FaceCropper)] = [
      (\.yunet, FaceCropper(detector: YuNetFaceDetector())), (\.haar, FaceCropper(detector: HaarFaceDetector())),
    ]

    // Loads the models.
    for (_, cropper) in croppers { try await makeAvatar(of: bytes, by: cropper) }
    var times = Times()
    for _ in 0..<rounds {
      times.fullDecode.measure { unsafe full_decode(bytes, bytes.count, pixels) }
      try times.fullDecodeIntoNewMemory.measure {
        try unsafe PixelMemory.new.with(pixelBytes) { unsafe full_decode(bytes, bytes.count, $0) }
      }
      for (samples, cropper) in croppers {
        let start = Clock.processor.now
        try await makeAvatar(of: bytes, by: cropper)
        times[keyPath: samples].append(Clock.processor.now - start)
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(times), as: UTF8.self)
  }

  static func makeAvatar(of bytes: [UInt8], by cropper: FaceCropper, noFace: NoFacePolicy = .fail) async throws {
    var request = CropRequest()
    request.search.faces = .prominent
    request.composition.layout = .framing(.avatar)
    request.search.noFace = noFace
    request.output.sizes = [.longSide(512)]
    let result = try await cropper.crop(.bytes(bytes), request: request)
    for crop in result.crops { _ = try await cropper.encode(crop, as: .jpeg(quality: 85)) }
  }
}
