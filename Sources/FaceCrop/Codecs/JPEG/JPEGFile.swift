internal import CJPEGShim

/// A JPEG file that is made without encoding pixels, and its segments.
@safe final class JPEGFile {
  private let handle: OpaquePointer
  private let metadata: CropMetadata
  private let profile: [UInt8]

  init(_ metadata: CropMetadata, profile: [UInt8]?) throws(FaceCropError) {
    guard let made = unsafe fcjpeg_file_create() else { throw .outOfMemory }
    unsafe handle = made
    self.metadata = metadata
    self.profile = profile ?? []
  }

  deinit {
    unsafe fcjpeg_file_destroy(handle)
  }

  /// Returns the bytes of the file, which `make` fills, with the given segments.
  func bytes(
    made make: (OpaquePointer, FCAttachments) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> [UInt8] {
    let made: Result<Void, FaceCropError> = unsafe Self.withSegments(metadata, profile: profile) { segments in
      Result { () throws(FaceCropError) in try unsafe make(handle, segments) }
    }
    try made.get()
    return unsafe ImageBytes.copy(fcjpeg_file_bytes(handle))
  }

  /// Returns a file with the given segments added.
  func bytes(of jpeg: UnsafeBufferPointer<UInt8>) throws(FaceCropError) -> [UInt8] {
    try unsafe bytes { (file, segments) throws(FaceCropError) in
      guard unsafe fcjpeg_with_segments(jpeg.baseAddress!, jpeg.count, segments, file) == .ok else {
        throw .outOfMemory
      }
    }
  }

  /// Calls `body` with the segments of metadata.
  static func withSegments<Result>(
    _ metadata: CropMetadata, profile: [UInt8], _ body: (FCAttachments) -> Result
  ) -> Result {
    let exif = metadata.exif.map { JPEGHeader.exifIdentifier + $0 } ?? []
    let xmp = metadata.xmp.map { XMPPacket.identifier + $0 } ?? []
    return unsafe FCAttachments.with(exif: exif, xmp: xmp, profile: profile, body)
  }
}
