import TestSupport
import Testing

@testable import FaceCrop

@Suite struct JPEGEncoderTests {
  /// The profile makes the output's buffer grow before the first row; a later cancellation must know the new buffer.
  @Test(arguments: [0, 30_000, 2_000_000]) func cancellationLeavesTheBufferWhole(profileBytes: Int) throws {
    let pixels = PixelBuffer(Pixels.noise(width: 300, height: 400))
    let crop = EncoderInput(
      pixels: pixels,
      colorProfile: [UInt8](repeating: 7, count: profileBytes))
    for rows in [16, 160] {
      let cancellation = Cancellation()
      let job = Job(limits: Limits(), cancellation: cancellation) { progress in
        if progress.completed >= rows { cancellation.cancel() }
      }
      #expect(throws: FaceCropError.cancelled) { try JPEGEncoder.encode(crop, quality: 100, job: job) }
    }
    let job = Job(limits: Limits(), cancellation: Cancellation(), progress: nil)
    let jpeg = try JPEGEncoder.encode(crop, quality: 100, job: job)
    #expect(jpeg.count > profileBytes && jpeg.suffix(2) == [0xFF, 0xD9])
  }
}
