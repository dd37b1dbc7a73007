import FaceCrop

extension FaceCropError {
  /// The description, with the option that helps, if there is one.
  var sentence: String {
    switch self {
    case .overLimit(.encodingBytes, _, _): "\(self) (make the output smaller with --size, or write JPEG or PNG)"
    case .overLimit(let limit, _, _): limit.option.map { "\(self) (raise it with \($0))" } ?? "\(self)"
    case .tooSmall: "\(self) (lower --min-size, or use a larger image)"
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
    case .severalFaces: "\(self) (choose one with --faces)"
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
    case .pixelsPerByte, .scans, .frames, .metadataBytes, .resultBytes, .encodingBytes: nil
    }
  }
}
