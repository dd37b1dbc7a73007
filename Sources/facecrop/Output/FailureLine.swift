import FaceCrop

/// The JSON line of an input that failed.
struct FailureLine: Encodable {
  struct Fault: Encodable {
    var kind: String
    var message: String
  }
  var file: String
  var error: Fault

  init(_ file: String, _ error: FaceCropError) {
    self.file = file
    self.error = Fault(kind: error.kind, message: "\(file) \(error.sentence)")
  }
}
