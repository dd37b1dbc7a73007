import FaceCrop
import SystemPackage

extension FaceCropError {
  /// The description, with the option that helps and its value, if there is one.
  var sentence: String {
    switch self {
    case .overLimit(let limit, let actual, let allowed): "\(self) (\(limit.remedy(actual: actual, allowed: allowed)))"
    case .tooSmall: "\(self) (lower --min-size, or use a larger image)"
    case .truncated: "\(self) (pass --allow-truncated to use it)"
    case .planMismatch: "\(self) (pass the plan of this image)"
    case .unreadable("\(Errno.noSuchFileOrDirectory)"): "\(self) (check the name)"
    default: "\(self)"
    }
  }
}

extension CropWarning {
  /// The description, with the option that helps, if there is one.
  var sentence: String {
    switch self {
    case .smaller: "\(self) (pass --upscale to enlarge)"
    case .gainMapDropped(.smallOutput): "\(self) (pass --gain-map keep)"
    case .severalFaces: "\(self) (choose one by its number, such as --faces 1, by default the leftmost)"
    case .frame(.facesCut): "\(self) (crop shows all of them)"
    case .doubtfulFaces(let numbers) where numbers.count == 1:
      "\(self) (check it, or show it by adding \(numbers[0]) to --except)"
    case .doubtfulFaces: "\(self) (check them, or show some with --except)"
    case .missingFaces: "\(self) (facecrop blur --json prints the numbers)"
    default: "\(self)"
    }
  }

  /// The sentence about an image whose plan was given, which decides the hidden faces.
  var plannedSentence: String {
    guard case .doubtfulFaces(let numbers) = self else { return sentence }
    return numbers.count == 1
      ? "\(self) (check it, or remove its crop from the plan to show it)"
      : "\(self) (check them, or remove crops from the plan to show some)"
  }
}

extension HidingShortfall {
  /// The reason, with what to do.
  var sentence: String {
    switch self {
    case .noFace: "\(self) (mark faces by hand in a plan, with --plan-in)"
    case .noNumber: "\(self) (facecrop blur --json prints the numbers)"
    case .smaller, .allSmaller: "\(self) (lower --min-face)"
    case .allExcepted: "\(self) (leave out --except to hide them)"
    case .emptyPlan: "\(self) (add a crop for each area)"
    }
  }
}

extension Limits.Kind {
  /// Returns a clause that says what to do: the option with a value that admits the image, if there is an option.
  fileprivate func remedy(actual: Int, allowed: Int) -> String {
    switch self {
    case .pixels: raise("--max-pixels", actual, to: "\(Self.megapixels(actual))MP")
    case .coefficientBytes, .regionBytes, .imageBytes, .heifBytes:
      raise("--max-pixels", actual, to: "\(LimitOptions.megapixels(forBytes: actual))MP")
    case .side: raise("--max-side", actual, to: "\(actual)")
    // The size is unknown if the end was not reached.
    case .fileBytes where actual &- 1 == allowed: "raise it with --max-file-size"
    case .fileBytes: raise("--max-file-size", actual, to: "\(actual.dividedUp(by: 1 << 20))MiB")
    case .time: raise("--timeout", actual, to: "\(actual.dividedUp(by: 500))")
    case .encodingBytes:
      "make the output smaller with --size, or write JPEG or PNG, or "
        + raise("--max-pixels", actual, to: "\(LimitOptions.megapixels(forEncoding: actual))MP")
    case .pixelsPerByte: "save the image again with another program"
    case .scans: "save the image again as a baseline JPEG"
    case .animationPixels: raise("--max-pixels", actual, to: "\(LimitOptions.megapixels(forAnimation: actual))MP")
    case .frames: "save its first frame as an image"
    case .metadataBytes: "remove its metadata with another program"
    case .resultBytes: "request fewer or smaller outputs"
    }
  }

  private func raise(_ option: String, _ actual: Int, to value: String) -> String {
    // A sum that was clamped is no value.
    actual == .max ? "make the image smaller with another program" : "raise it with \(option) \(value)"
  }

  private static func megapixels(_ pixels: Int) -> Int { pixels.dividedUp(by: 1_000_000) }
}

extension Int {
  /// Returns the quotient, rounded up.
  func dividedUp(by divisor: Int) -> Int { self / divisor + (self % divisor > 0 ? 1 : 0) }
}
