import FaceCrop
import SystemPackage

// The remedies that the command has for the library's errors and warnings: its options, with values.

extension Fault {
  init(_ error: FaceCropError) {
    self.init(error.kind, "\(error)", error.remedy)
    switch error {
    case .overLimit(let limit, let actual, let allowed):
      (field, value, bound) = (limit.rawValue, "\(actual)", "\(allowed)")
    case .tooSmall(let size, let allowed): (value, bound) = ("\(size.width)×\(size.height)", "\(allowed)")
    case .formatLimit(let size, _, let allowed): (value, bound) = ("\(size.width)×\(size.height)", "\(allowed)")
    case .tooLarge(let bytes, let allowed): (value, bound) = ("\(bytes)", "\(allowed)")
    case .invalidRequest(let reason): (field, value, bound) = (reason.field, reason.value, reason.bound)
    default: break
    }
  }

  init(_ warning: CropWarning) { self.init(warning.kind, "\(warning)", warning.remedy) }
  init(_ shortfall: BlurShortfall) { self.init(shortfall.kind, "\(shortfall)", shortfall.remedy) }

  /// Creates a warning about an image whose plan was given, which decides the hidden faces.
  init(planned warning: CropWarning) {
    guard case .doubtfulFaces(let numbers) = warning else {
      self.init(warning)
      return
    }
    self.init(
      warning.kind, "\(warning)",
      numbers.count == 1
        ? "check it, or remove its crop from the plan to show it"
        : "check them, or remove crops from the plan to show some")
  }

  /// The warning about a quality for an output whose format follows the input.
  static func qualityIgnored(by format: ImageFormat) -> Fault {
    Fault("quality", "--quality was ignored, because the output is \(format.name) like the input and always lossless")
  }
}

extension FaceCropError {
  /// The description, with the option that helps and its value, if there is one.
  var sentence: String { Fault(self).message }

  fileprivate var remedy: Remedy? {
    switch self {
    case .overLimit(let limit, let actual, let allowed): limit.remedy(actual: actual, allowed: allowed)
    case .tooSmall: "lower \(option: "min-size"), or use a larger image"
    case .truncated: "pass \(flag: "allow-truncated") to use it"
    case .planMismatch: "pass the plan of this image"
    case .unreadable("\(Errno.noSuchFileOrDirectory)"): "check the name"
    default: nil
    }
  }
}

extension CropWarning {
  fileprivate var remedy: Remedy? {
    switch self {
    case .smaller: "pass \(flag: "upscale") to enlarge"
    case .gainMapDropped(.smallOutput): "pass \(option: "gain-map", "keep")"
    case .severalFaces: "choose one by its number, such as \(option: "faces", 1), by default the leftmost"
    case .frame(.facesCut): "choose a shape with room for all of them"
    case .doubtfulFaces(let numbers) where numbers.count == 1:
      "check it, or show it by adding \(numbers[0]) to \(option: "except")"
    case .doubtfulFaces: "check them, or show some with \(option: "except")"
    case .missingFaces: BlurShortfall.noNumber.remedy
    default: nil
    }
  }
}

extension BlurShortfall {
  fileprivate var remedy: Remedy? {
    switch self {
    case .noFace: "mark faces by hand in a plan, with \(option: "plan-in")"
    case .noNumber: "facecrop blur --json prints the numbers"
    case .smaller, .allSmaller: "lower \(option: "min-face")"
    case .allExcepted: "leave out \(option: "except") to hide them"
    case .emptyPlan: "add a crop for each area"
    }
  }
}

extension Limits.Kind {
  /// Returns what to do: the option with a value that admits the image, if there is an option.
  fileprivate func remedy(actual: Int, allowed: Int) -> Remedy {
    switch self {
    case .pixels: raise("max-pixels", actual, to: "\(actual.dividedUp(by: 1_000_000))MP")
    case .coefficientBytes, .regionBytes, .imageBytes, .heifBytes:
      raise("max-pixels", actual, to: "\(Limits.megapixels(actual, Limits.decodingBytes))MP")
    case .side: raise("max-side", actual, to: "\(actual)")
    // The size is unknown if the end was not reached.
    case .fileBytes where actual &- 1 == allowed: "raise it with \(option: "max-file-size")"
    case .fileBytes: raise("max-file-size", actual, to: "\(actual.dividedUp(by: 1 << 20))MiB")
    case .time: raise("timeout", actual, to: "\(actual.dividedUp(by: 500))")
    case .encodingBytes:
      """
      make the output smaller with \(option: "size"), or write JPEG or PNG, or \
      \(raise("max-pixels", actual, to: "\(Limits.megapixels(actual, Limits.codingBytes))MP"))
      """
    case .pixelsPerByte: "save the image again with another program"
    case .scans: "save the image again as a baseline JPEG"
    case .animationPixels: raise("max-pixels", actual, to: "\(Limits.megapixels(actual, Limits.animationFactor))MP")
    case .frames: "save its first frame as an image"
    case .metadataBytes: "remove its metadata with another program"
    case .resultBytes: "request fewer or smaller outputs"
    }
  }

  private func raise(_ option: String, _ actual: Int, to value: String) -> Remedy {
    // A sum that was clamped is no value.
    actual == .max ? "make the image smaller with another program" : "raise it with \(option: option, value)"
  }
}

extension Int {
  /// Returns the quotient, rounded up.
  func dividedUp(by divisor: Int) -> Int { self / divisor + (self % divisor > 0 ? 1 : 0) }
}

/// The limits that follow `--max-pixels`.
extension Limits {
  /// The memory per pixel above the default number of pixels, in bytes.
  static let decodingBytes = 4
  /// The same for encoding. AVIF with full color and transparency takes 54, so this leaves some to spare.
  static let codingBytes = 56

  /// Returns the bytes for a number of pixels, with an upper bound that no memory reaches.
  static func bytes(_ pixels: Int, _ each: Int) -> Int { Int(min(Double(pixels) * Double(each), 0x1p62)) }

  /// The pixels of all frames of an animation for each pixel of an image.
  static let animationFactor = 10

  /// Returns the value of `--max-pixels`, in millions, that admits a number of bytes or pixels of frames, of which each
  /// pixel has some.
  static func megapixels(_ number: Int, _ each: Int) -> Int {
    // Only a value above the default raises the limits for memory.
    max(number.dividedUp(by: each * 1_000_000), Limits().pixels / 1_000_000 + 1)
  }
}
