internal import CColorShim

/// A conversion from an image's color profile to sRGB, for one thread at a time.
final class ColorConversion {
  private enum Way {
    case own(MatrixConversion)
    case library(LibraryConversion)
  }

  private let way: Way
  private let format: PixelBuffer.Format
  /// Whether the colors are already those of sRGB, within one level.
  private(set) var isIdentity = false

  /// Creates a conversion; nil if the profile does not match the format or is unusable.
  init?(from profile: [UInt8], format: PixelBuffer.Format) throws(FaceCropError) {
    switch ICCModel(profile, for: format == .gray ? .gray : .rgb) {
    case nil: return nil
    case .gray(let curve)?: way = .own(MatrixConversion(gray: curve))
    case .matrix(let curves, let colorants)?: way = .own(MatrixConversion(curves, colorants: colorants))
    case .tables(let tags)?:
      guard let conversion = try LibraryConversion(tags, format.shimColor) else { return nil }
      way = .library(conversion)
    }
    self.format = format
    isIdentity = leavesColors()
  }

  var usedBytes: Int {
    switch way {
    case .own(let conversion): conversion.usedBytes
    case .library(let conversion): conversion.usedBytes
    }
  }

  /// The pixels to convert between two checks for cancellation.
  private static let pixelsAtOnce = 1 << 18

  /// Converts the pixels, in place if they have no other owner.
  func converted(_ picture: consuming PixelBuffer, job: Job) throws(FaceCropError) -> PixelBuffer {
    if isIdentity { return picture }
    let step = Self.pixelsAtOnce * format.channels
    let count = picture.bytes.count
    for start in stride(from: 0, to: count, by: step) {
      try job.check()
      unsafe picture.bytes.withUnsafeMutableBufferPointer { pixels in
        unsafe convert(UnsafeMutableBufferPointer(rebasing: pixels[start..<min(start + step, count)]))
      }
    }
    return picture
  }

  private func convert(_ pixels: UnsafeMutableBufferPointer<UInt8>) {
    guard let base = pixels.baseAddress else { return }
    switch way {
    case .own(let conversion): unsafe conversion.convert(pixels, format: format)
    case .library(let conversion): unsafe conversion.convert(base, to: base, count: pixels.count / format.channels)
    }
  }

  /// Tries a lattice of colors, where color spaces differ most, and all grays.
  private func leavesColors() -> Bool {
    let sides = (0..<9).map { UInt8($0 * 255 / 8) }
    var colors: [[UInt8]] = (0...255).map { [$0, $0, $0, $0] }
    if format != .gray {
      for red in sides {
        for green in sides { colors += sides.map { [red, green, $0, red] } }
      }
    }
    let before = colors.flatMap { $0.prefix(format.channels) }
    var behind = before
    unsafe behind.withUnsafeMutableBufferPointer { unsafe convert($0) }
    return zip(before, behind).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
  }
}

/// A conversion from CMYK to RGB by an ICC profile, for one thread at a time.
final class InkConversion {
  private let conversion: LibraryConversion

  /// Creates a conversion; nil if the profile is not for CMYK or is unusable.
  init?(from profile: [UInt8]) throws(FaceCropError) {
    guard case .tables(let tags)? = ICCModel(profile, for: .cmyk),
      let conversion = try LibraryConversion(tags, .CMYK)
    else { return nil }
    self.conversion = conversion
  }

  var usedBytes: Int { conversion.usedBytes }

  /// Converts inks, with four bytes a pixel and 0 for no ink, to RGB. `pixels` has room for three bytes of each pixel.
  func convert(_ inks: UnsafeBufferPointer<UInt8>, to pixels: UnsafeMutableBufferPointer<UInt8>) {
    precondition(pixels.count >= inks.count / 4 * 3, "there is no room for the pixels")
    guard let from = inks.baseAddress, let to = pixels.baseAddress else { return }
    unsafe conversion.convert(from, to: to, count: inks.count / 4)
  }
}
