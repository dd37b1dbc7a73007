import CJPEGFixtures

/// Interleaved 8-bit samples, rows from the top without padding.
public struct Pixels: Sendable {
  public let width: Int
  public let height: Int
  public let channels: Int
  public let samples: [UInt8]

  public init(width: Int, height: Int, channels: Int, samples: [UInt8]) {
    // The C loops rely on these numbers.
    precondition(width > 0 && height > 0 && channels > 0, "an empty picture")
    precondition(samples.count == width * height * channels, "the samples do not match the size")
    self.width = width
    self.height = height
    self.channels = channels
    self.samples = samples
  }

  /// Creates an image of one color.
  public init(width: Int, height: Int, color: [UInt8]) {
    var samples: [UInt8] = []
    samples.reserveCapacity(width * height * color.count)
    for _ in 0..<width * height { samples.append(contentsOf: color) }
    self.init(width: width, height: height, channels: color.count, samples: samples)
  }

  /// The samples of one pixel.
  public subscript(x: Int, y: Int) -> [UInt8] {
    precondition((0..<width).contains(x) && (0..<height).contains(y), "outside the picture")
    let start = (y * width + x) * channels
    return Array(samples[start..<start + channels])
  }
}

// MARK: - Generated images

extension Pixels {
  /// Returns uniformly distributed samples, the hardest image for a codec.
  public static func noise(width: Int, height: Int, channels: Int = 3, seed: UInt64 = 1) -> Pixels {
    unsafe Pixels(width: width, height: height, channels: channels) { buffer in
      unsafe fx_fill_noise(buffer.baseAddress, buffer.count, seed)
    }
  }

  /// Returns gradients, edges and a little noise, different in every channel, so that no two places look alike.
  public static func testPattern(width: Int, height: Int, channels: Int = 3, seed: UInt64 = 1) -> Pixels {
    unsafe Pixels(width: width, height: height, channels: channels) { buffer in
      unsafe fx_fill_pattern(buffer.baseAddress, width, height, channels, seed)
    }
  }
}

// MARK: - Changed images

extension Pixels {
  public func cropped(x: Int, y: Int, width: Int, height: Int) -> Pixels {
    precondition(x >= 0 && y >= 0 && x + width <= self.width && y + height <= self.height, "outside the picture")
    var result: [UInt8] = []
    result.reserveCapacity(width * height * channels)
    for row in y..<y + height {
      let start = (row * self.width + x) * channels
      result.append(contentsOf: samples[start..<start + width * channels])
    }
    return Pixels(width: width, height: height, channels: channels, samples: result)
  }

  /// Returns the upright image of stored pixels with an EXIF orientation of 1...8.
  public func turned(orientation: Int) -> Pixels {
    turned(orientation: orientation, inverse: false)
  }

  /// Returns the pixels to store so that rotating them upright gives this image.
  public func stored(forOrientation orientation: Int) -> Pixels {
    turned(orientation: orientation, inverse: true)
  }

  private func turned(orientation: Int, inverse: Bool) -> Pixels {
    precondition((1...8).contains(orientation), "an orientation is 1...8")
    let swaps = orientation >= 5
    return unsafe Pixels(width: swaps ? height : width, height: swaps ? width : height, channels: channels) { buffer in
      unsafe fx_turn(samples, width, height, channels, Int32(orientation), inverse, buffer.baseAddress)
    }
  }

  /// Resizes bilinearly with aligned pixel centers and no low-pass filter: good for enlarging, coarse for reducing.
  public func resizedBilinear(width: Int, height: Int) -> Pixels {
    unsafe Pixels(width: width, height: height, channels: channels) { buffer in
      let done = unsafe fx_resize(samples, self.width, self.height, channels, buffer.baseAddress, width, height)
      precondition(done == 1, "out of memory")
    }
  }

  /// Adds a uniformly distributed `-amplitude...amplitude` to each sample.
  public func addingNoise(amplitude: Int, seed: UInt64) -> Pixels {
    precondition((0...127).contains(amplitude), "an amplitude is 0...127")
    var result = samples
    unsafe result.withUnsafeMutableBufferPointer { buffer in
      unsafe fx_add_noise(buffer.baseAddress, buffer.count, UInt32(amplitude), seed)
    }
    return Pixels(width: width, height: height, channels: channels, samples: result)
  }

  /// Luma with libjpeg's weights; gray stays unchanged.
  public var gray: Pixels {
    if channels == 1 { return self }
    precondition(channels == 3, "gray is made from RGB")
    return unsafe Pixels(width: width, height: height, channels: 1) { buffer in
      unsafe fx_gray(samples, width * height, buffer.baseAddress)
    }
  }
}

// MARK: - Comparison

extension Pixels: Equatable {
  public static func == (first: Pixels, second: Pixels) -> Bool {
    // The array's own operator is slow for millions of samples in a debug build.
    guard first.hasShape(of: second) else { return false }
    return unsafe fx_equal(first.samples, second.samples, first.samples.count)
  }

  private func hasShape(of other: Pixels) -> Bool {
    (width, height, channels) == (other.width, other.height, other.channels)
  }

  /// Returns the largest difference of two samples; 256, which is impossible, if the shapes differ.
  public func maximumDifference(from other: Pixels) -> Int {
    guard hasShape(of: other) else { return 256 }
    return Int(unsafe fx_maximum_difference(samples, other.samples, samples.count))
  }

  /// Returns the mean difference of all samples; infinite if the shapes differ.
  public func meanDifference(from other: Pixels) -> Double {
    guard hasShape(of: other) else { return .infinity }
    return Double(unsafe fx_total_difference(samples, other.samples, samples.count)) / Double(samples.count)
  }
}

// A failed expectation prints both sides, which must not be millions of samples.
extension Pixels: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(width)×\(height)×\(channels) pixels" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - C buffers

extension Pixels {
  /// Creates an image whose samples a C function writes.
  private init(
    width: Int, height: Int, channels: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
  ) {
    let count = width * height * channels
    let samples = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      unsafe fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      initializedCount = count
    }
    self.init(width: width, height: height, channels: channels, samples: samples)
  }
}
