import FaceCrop

extension FaceCropError {
  /// What is wrong, and the option that is the way out where there is one.
  var sentence: String {
    switch self {
    case .overLimit(let limit, _, _): limit.option.map { "\(self); \($0) raises it" } ?? "\(self)"
    default: "\(self)"
    }
  }
}

extension Limits.Kind {
  fileprivate var option: String? {
    switch self {
    case .pixels, .coefficientBytes, .regionBytes, .pictureBytes, .heifBytes: "--max-pixels"
    case .side: "--max-side"
    case .fileBytes: "--max-file-size"
    case .time: "--timeout"
    case .pixelsPerByte, .scans, .frames, .metadataBytes, .resultBytes: nil
    }
  }
}
