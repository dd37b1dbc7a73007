// All files of the command use the records, which are as much its own as the server's.
@_exported public import FaceCropRecords

/// Any JSON value, of which nothing is read.
struct AnyValue: Decodable {
  init(from _: any Decoder) {}
}
