internal import CJPEGShim

/// A JPEG file that is made without encoding pixels, and the segments that go into it.
@safe final class JPEGFile {
  private let handle: OpaquePointer
  private let exif: [UInt8]
  private let profile: [UInt8]

  init(exif: [UInt8]?, profile: [UInt8]?) throws(FaceCropError) {
    guard let made = unsafe fcjpeg_file_create() else { throw .outOfMemory }
    unsafe handle = made
    self.exif = exif.map { JPEGHeader.exifIdentifier + $0 } ?? []
    self.profile = profile ?? []
  }

  deinit {
    unsafe fcjpeg_file_destroy(handle)
  }

  /// - Parameter make: fills the file, with the segments given.
  /// - Returns: its bytes.
  func bytes(
    made make: (OpaquePointer, FCJPEGSegments) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> [UInt8] {
    let (exif, profile) = (exif, profile)
    try unsafe exif.span.withBuffer { (exif) throws(FaceCropError) in
      try unsafe profile.span.withBuffer { (profile) throws(FaceCropError) in
        try unsafe make(
          handle,
          FCJPEGSegments(
            exif: exif.baseAddress, exifCount: exif.count, profile: profile.baseAddress, profileCount: profile.count))
      }
    }
    return unsafe ImageBytes.copy(fcjpeg_file_bytes(handle), fcjpeg_file_count(handle))
  }
}
