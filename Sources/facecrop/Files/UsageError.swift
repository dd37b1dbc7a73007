/// A usage error of several lines. Only ``Console`` ends lines, so that file names cannot.
struct UsageError: Error {
  var message: String
  var details: [String]
}

/// A usage error as JSON.
struct UsageFailure: Encodable {
  var event = "error"
  var kind = "usage"
  var message: String
  var details: [String]?
}
