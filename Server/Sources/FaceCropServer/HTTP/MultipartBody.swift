import CServiceMalloc

/// The body of an HTML form with a file (RFC 7578).
enum MultipartBody {
  /// The upper bound of parts before the file.
  private static let mostParts = 100

  /// Reduces a form to the bytes of its first file. Leaves a body of another type unchanged.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - contentType: The request's header; nil counts as an image.
  /// - Throws: ``ServiceError/invalidQuery(_:)`` for a form without a file, or that ends early, or a body that is no form.
  static func keepFile(in bytes: inout [UInt8], contentType: String?) throws(ServiceError) {
    guard let contentType, contentType.lowercased().hasPrefix("multipart/form-data") else { return }
    guard let boundary = boundary(contentType) else {
      throw .invalidQuery("the form's Content-Type has no boundary of 1 to 70 characters (send the image as the body)")
    }
    guard let file = try file(in: bytes, boundary: boundary) else {
      throw .invalidQuery("the form has no file (send one part with a filename, or the image as the body)")
    }
    // In place, since the budget covers one body.
    bytes.removeSubrange(file.upperBound...)
    bytes.removeSubrange(..<file.lowerBound)
  }

  private static func boundary(_ contentType: String) -> [UInt8]? {
    for parameter in contentType.split(separator: ";").dropFirst() {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "boundary" else { continue }
      let value = Array(parts[1].filter { $0 != "\"" && $0 != " " }.utf8)
      return (1...70).contains(value.count) ? value : nil
    }
    return nil
  }

  /// Returns the range of the first part with a file name; nil for a complete form without one.
  private static func file(in bytes: [UInt8], boundary: [UInt8]) throws(ServiceError) -> Range<Int>? {
    let delimiter = Array("--".utf8) + boundary
    let headerEnd = Array("\r\n\r\n".utf8)
    guard bytes.starts(with: delimiter.prefix(bytes.count)) else { return nil }
    var start = delimiter.count
    // The search never goes back, so the time is linear in the body.
    for _ in 0..<mostParts {
      // Hyphens behind a boundary end the form.
      if bytes.dropFirst(start).starts(with: "--".utf8) { return nil }
      guard let header = place(of: headerEnd, in: bytes, from: start),
        let end = place(of: Array("\r\n".utf8) + delimiter, in: bytes, from: header + headerEnd.count)
      else {
        throw .invalidQuery(
          "the form ends early, after \(bytes.count) bytes and without its last boundary (send the whole body)")
      }
      let first = header + headerEnd.count
      let head = String(decoding: bytes[start..<header].prefix(4_096), as: UTF8.self).lowercased()
      // Browsers send a field without a chosen file as an empty file without a name.
      let isUnchosen = first == end && head.contains("filename=\"\"")
      if head.contains("filename=") || head.contains("filename*="), !isUnchosen { return first..<end }
      start = end + 2 + delimiter.count
    }
    return nil
  }

  /// Returns the first place of a pattern. The search takes time in proportion to the bytes, whatever they are.
  private static func place(of pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes in
      guard start < bytes.count, let all = bytes.baseAddress else { return nil }
      let found = unsafe memmem(all + start, bytes.count - start, pattern, pattern.count)
      return unsafe found.map { unsafe UnsafeRawPointer($0) - all }
    }
  }
}
