/// Wrong usage, as JSON.
struct UsageFailure: Encodable {
  var event = "error"
  var kind = "usage"
  var message: String
  var details: [String]?
}

/// Wrong usage that takes several lines: ``Console`` alone ends lines, so that file names cannot.
struct UsageError: Error {
  var message: String
  /// A line each.
  var details: [String]
}
