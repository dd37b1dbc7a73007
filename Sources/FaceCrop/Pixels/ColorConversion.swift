internal import CColorShim

/// From a picture's color profile to sRGB, by Little CMS. Used by one thread at a time.
@safe final class ColorConversion {
  private let handle: OpaquePointer
  /// The colors are sRGB's already, within one level.
  let isIdentity: Bool

  /// Nil when the profile is not for such pixels, or leads nowhere.
  init?(from profile: [UInt8], format: PixelBuffer.Format) throws(FaceCropError) {
    let layout: FCColorLayout =
      switch format {
      case .gray: .gray
      case .rgb: .RGB
      case .rgba: .RGBA
      }
    var handle: OpaquePointer?
    let status = unsafe profile.withUnsafeBufferPointer { bytes in
      unsafe bytes.isEmpty ? .unusable : fccolor_transform_create(bytes.baseAddress!, bytes.count, layout, &handle)
    }
    if status == .outOfMemory { throw .outOfMemory }
    guard let made = unsafe handle else { return nil }
    unsafe self.handle = made
    isIdentity = unsafe fccolor_transform_is_identity(made)
  }

  deinit {
    unsafe fccolor_transform_destroy(handle)
  }

  func converted(_ picture: PixelBuffer) -> PixelBuffer {
    if isIdentity { return picture }
    var picture = picture
    let count = picture.width * picture.height
    unsafe picture.bytes.withUnsafeMutableBufferPointer { pixels in
      if let base = pixels.baseAddress { unsafe fccolor_transform_apply(handle, base, count) }
    }
    return picture
  }
}
