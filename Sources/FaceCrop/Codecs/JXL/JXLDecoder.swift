internal import CJXLShim
internal import Glibc
internal import Synchronization

/// One libjxl decoder, whose statuses become errors.
///
/// It borrows the bytes that it reads; ``JXLSession`` does not outlive them.
@safe final class JXLDecoder: ShimObject {
  private let job: Job
  /// The length of the coded profile.
  private lazy var profileBytes = unsafe Int(clamping: fcjxl_decoder_profile_bytes(handle))
  /// The upper bound of libjxl's memory for a header: the tables, and the stages of unpacking the profile.
  var headerBytes: Int {
    profileBytes.multipliedClamped(by: Self.bytesPerProfileByte).addingClamped(Self.tableBytes)
  }

  /// Creates a decoder of the first frame, or of all frames in turn.
  init(reading bytes: ImageBytes, allFrames: Bool = false, job: Job) throws(FaceCropError) {
    self.job = job
    let source = unsafe FCJXLSource(
      bytes: bytes.buffer.baseAddress!, count: bytes.buffer.count,
      maximumMetadataBytes: min(job.limits.metadataBytes, 1 << 30), maximumXMPBytes: CreditSources.mostBytes,
      maximumFrames: UInt32(clamping: job.limits.frames.addingClamped(1)), allFrames: allFrames,
      cancellation: job.cancellation.flag)
    try unsafe super.init(fcjxl_decoder_create(source), fcjxl_decoder_destroy, text: fcjxl_decoder_message)
  }

  /// The bytes of libjxl's tables, and of the window in which it unpacks compressed boxes.
  private static let (tableBytes, windowBytes) = (16 << 20, 16 << 20)
  /// The bytes that libjxl takes for each byte of a profile: the highest measured value is 5.
  private static let bytesPerProfileByte = 6
  /// The bytes of a copy of the file, if libjxl cannot read it as it is.
  var copiedBytes: Int { unsafe fcjxl_decoder_copied_bytes(handle) }

  /// Whether the header of a file with a large profile is read. Nothing reserves that memory, so it is one at a time.
  static let isUnpacking = Atomic(false)
  private static let largeProfile = 1 << 20

  /// Reads the header. Its parts live as long as the decoder.
  func header() throws(FaceCropError) -> FCJXLHeader {
    try job.limits.check(.metadataBytes, profileBytes)
    let header = try unsafe unpackedHeader(memory: headerBytes.addingClamped(Self.windowBytes))
    try job.step(unsafe Int(header.events) + Int(header.frameCount))
    try job.limits.check(unsafe PixelSize(width: Int(header.width), height: Int(header.height)))
    try job.limits.check(.frames, unsafe Int(header.frameCount))
    let isTooLarge = unsafe header.profile.state == .tooLarge || header.exif.state == .tooLarge
    let metadataBytes = unsafe header.profile.count + header.exif.count
    try job.limits.check(
      .metadataBytes, isTooLarge ? max(metadataBytes, job.limits.metadataBytes.addingClamped(1)) : metadataBytes)
    return unsafe header
  }

  /// Reads the header in a process that takes up to `memory` bytes. Its parts live as long as the decoder.
  func unpackedHeader(memory: Int) throws(FaceCropError) -> FCJXLHeader {
    let isLarge = profileBytes > Self.largeProfile
    while isLarge, Self.isUnpacking.exchange(true, ordering: .acquiring) {
      try job.check()
      usleep(2_000)
      job.cancellation.add(elsewhere: .milliseconds(2))
    }
    defer { if isLarge { Self.isUnpacking.store(false, ordering: .releasing) } }
    var header = unsafe FCJXLHeader()
    try check(unsafe fcjxl_decoder_read_header(handle, memory, &header), memory: memory)
    return unsafe header
  }

  /// Decodes the first frame, or with `allFrames` the next one.
  ///
  /// - Parameters:
  ///   - header: The image's header.
  ///   - memory: The upper bound of libjxl's own memory in bytes.
  ///   - faults: Notes if the file ends inside the frame. The pixels then are its decoded part.
  ///   - report: Receives the fraction of the file that was read, 0…1.
  func frame(
    _ header: ImageHeader, memory: Int, _ faults: inout Faults, report: (_ fraction: Double) -> Void = { _ in }
  ) throws(FaceCropError) -> PixelBuffer {
    try unsafe PixelBuffer.filled(size: header.size, format: header.format) { (pixels) throws(FaceCropError) in
      try check(unsafe fcjxl_decoder_start(handle, pixels.baseAddress!, pixels.count, memory), memory: memory)
      var isFinished = false
      while !isFinished {
        // It looks at the cancellation too, with the child stopped while the work is paused.
        let status = unsafe fcjxl_decoder_decode(handle, &isFinished)
        if status == .truncated {
          return try faults.judge(.truncated(coarse: true), intactRows: 0, isTolerable: false)
        }
        try check(status, memory: memory)
        report(unsafe fcjxl_decoder_fraction_read(handle))
      }
    }.picture
  }

  /// The time of the last frame in ticks of the animation's clock.
  var ticks: Int { unsafe Int(fcjxl_decoder_ticks(handle)) }

  /// Checks the frames up to the first one that is shown, by their headers. ``frame(_:memory:_:report:)`` does so where
  /// libjxl's memory is not counted.
  func checkFrames() throws(FaceCropError) {
    try check(unsafe fcjxl_decoder_check_frames(handle, headerBytes), memory: 0)
  }

  /// Whether ``frame(_:memory:_:report:)`` bounds all of libjxl's memory, and not only that of its decoder object.
  static var countsMemory: Bool { fcjxl_memory_is_counted() }

  /// The peak of libjxl's counted memory in bytes, for the last frame.
  var peakMemory: Int { unsafe fcjxl_decoder_peak_memory(handle) }

  private func check(_ status: FCStatus, memory: Int) throws(FaceCropError) {
    guard status == .tooMuchMemory else { return try check(status) }
    throw .unsupported("\(message): \(memory >> 20) MiB (save it as one layer, or in another format)")
  }
}
