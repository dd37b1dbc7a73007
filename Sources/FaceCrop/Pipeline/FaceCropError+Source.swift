extension FaceCropError {
  /// Returns the ``description`` behind the name of the file, for a log: `portrait.jpg: no face was found`. An error does not know the file
  /// itself, since the same call takes bytes in memory.
  ///
  /// - Parameter source: The source of the crop. Bytes in memory are called `image`.
  public func message(for source: ImageSource) -> String { "\(source.path?.string ?? "image"): \(self)" }
}
