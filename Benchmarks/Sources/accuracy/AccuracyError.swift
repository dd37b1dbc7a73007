import FoundationEssentials

/// The reason why there are no figures.
struct AccuracyError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension Data {
  /// Reads the bytes of a file.
  init(readingFile path: String) throws {
    do {
      try self.init(contentsOf: URL(filePath: path))
    } catch {
      throw AccuracyError("\(path) cannot be read")
    }
  }
}
