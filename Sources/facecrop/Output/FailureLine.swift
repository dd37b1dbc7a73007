import FaceCrop

/// The JSON line of a failed input.
struct FailureLine: Encodable {
  struct Details: Encodable {
    var kind: String
    var message: String
    /// Whether the same image may succeed later.
    var retryable: Bool
  }
  var file: String
  /// The bytes of a name that is not UTF-8.
  var fileBase64: String?
  var error: Details

  init(_ input: EachInput.Name, _ error: FaceCropError) {
    file = input.text
    fileBase64 = input.base64
    self.error = Details(kind: error.kind, message: error.sentence, retryable: error.mayPass)
  }
}
