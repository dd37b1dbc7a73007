/// Wrong usage, for programs.
struct UsageFailure: Encodable {
  var event = "error"
  var kind = "usage"
  var message: String
  var details: [String]?
}

/// Wrong usage that one line cannot tell: lines have their ends from ``Console`` alone, so that names bring none.
struct UsageError: Error {
  var message: String
  /// A line each.
  var details: [String]
}
