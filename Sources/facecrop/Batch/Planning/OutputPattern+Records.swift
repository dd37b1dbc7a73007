import SystemPackage

extension OutputPattern {
  /// Returns whether recorded outputs have the paths that these have. A record lacks the numbers of its crops, so the
  /// numbers in a recorded name count as such.
  ///
  /// - Parameter hasFace: Whether the image has the requested face.
  func fits(_ outputs: [Outcome.Output], hasFace: Bool) -> Bool {
    // The paths with all names of people are part of the fingerprint of options; see ``settledName(of:)``.
    if template.has(.person) { return true }
    var image: FilePath?
    var images = 0
    for output in outputs {
      let path = output.path
      if output.sidecar == true {
        guard let image, Sidecar.path(beside: image) == path else { return false }
        continue
      }
      guard isPath(path, crop: output.crop ?? 0, size: images % max(sizes.count, 1), hasFace: hasFace) else {
        return false
      }
      image = path
      images += 1
    }
    return true
  }

  private func isPath(_ path: FilePath, crop: Int, size: Int, hasFace: Bool) -> Bool {
    func isPath(_ number: Int) -> Bool {
      self.path(CropPlace(number: number, hasFace: hasFace), size: size) == path
    }
    // Crops usually have their positions as numbers.
    if isPath(crop + 1) { return true }
    return template.has(.index) && Self.numbers(in: path.bytes).contains { $0 != crop + 1 && isPath($0) }
  }

  /// Returns the numbers in a name: all digits in a row, and parts of them, because other digits may be beside an index.
  private static func numbers(in name: [UInt8]) -> Set<Int> {
    var numbers: Set<Int> = []
    for start in name.indices {
      var number = 0
      for byte in name[start...].prefix(mostDigits) {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
        number = 10 * number + Int(byte - UInt8(ascii: "0"))
        numbers.insert(number)
      }
    }
    return numbers
  }

  /// The digits of the largest number of a face.
  private static let mostDigits = 6
}
