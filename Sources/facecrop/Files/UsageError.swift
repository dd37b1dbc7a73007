/// A usage error of several lines. Only ``Console`` ends lines, so that file names cannot.
struct UsageError: Error {
  var message: String
  var details: [String]
}
