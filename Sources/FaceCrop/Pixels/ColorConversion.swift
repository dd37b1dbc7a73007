internal import CColorShim

/// From a picture's color profile to sRGB, by Little CMS. Used by one thread at a time.
@safe final class ColorConversion {
  private let handle: OpaquePointer
  /// The colors are sRGB's already, within one level.
  let isIdentity: Bool

  /// Nil when the profile is not for such pixels, or leads nowhere.
  convenience init?(from profile: [UInt8], format: PixelBuffer.Format) throws(FaceCropError) {
    switch format {
    case .gray: try self.init(from: profile, .gray)
    case .rgb: try self.init(from: profile, .RGB)
    case .rgba: try self.init(from: profile, .RGBA)
    }
  }

  /// From inks to RGB; nil when the profile is not for CMYK, or leads nowhere.
  convenience init?(ofInks profile: [UInt8]) throws(FaceCropError) {
    try self.init(from: profile, .CMYK)
  }

  private init?(from profile: [UInt8], _ layout: FCColorLayout) throws(FaceCropError) {
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

  /// Where the pixels are, if no one else holds them.
  func converted(_ picture: consuming PixelBuffer) -> PixelBuffer {
    if isIdentity { return picture }
    let count = picture.width * picture.height
    unsafe picture.bytes.withUnsafeMutableBufferPointer { pixels in
      if let base = pixels.baseAddress { unsafe fccolor_transform_apply(handle, base, base, count) }
    }
    return picture
  }

  /// Inks, four bytes a pixel with 0 for no ink, to RGB.
  ///
  /// - Precondition: made of a profile of inks; there is room for three bytes of each pixel.
  func convert(inks: UnsafeBufferPointer<UInt8>, to pixels: UnsafeMutableBufferPointer<UInt8>) {
    precondition(pixels.count >= inks.count / 4 * 3, "there is no room for the pixels")
    guard let from = inks.baseAddress, let to = pixels.baseAddress else { return }
    unsafe fccolor_transform_apply(handle, from, to, inks.count / 4)
  }
}
