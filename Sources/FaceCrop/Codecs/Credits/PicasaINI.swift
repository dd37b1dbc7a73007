/// The faces in a file `.picasa.ini`, which Picasa wrote into each folder of images.
///
/// A section has the name of an image. Its line `faces` lists `rect64(…),ID;…`: four numbers of 16 bits each, in
/// hexadecimal digits, for left, top, right and bottom. The section `Contacts2` has the names by ID. Linear time.
public struct PicasaINI: Sendable {
  private var faces: [String: Substring.UTF8View] = [:]
  private var names: [String: String] = [:]

  /// The most bytes that are read.
  public static let mostBytes = 4 << 20

  /// Parses a file. Unreadable lines are skipped, and so are bytes beyond ``mostBytes``.
  public init(_ bytes: [UInt8]) {
    let text = String(decoding: bytes.prefix(Self.mostBytes), as: UTF8.self)
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      if line.first == "[", line.last == "]" {
        section = line.dropFirst().dropLast().lowercased()
      } else if section == "contacts2" || section == "contacts", let equals = line.firstIndex(of: "=") {
        let name = line[line.index(after: equals)...].split(separator: ";", omittingEmptySubsequences: false).first
        let id = line[..<equals].lowercased()
        if let name = name.flatMap({ CreditText.cleaned(String($0)) }), name.utf8.count <= FaceRegion.longestName {
          names[id] = names[id] ?? name
        }
      } else if line.hasPrefix("faces="), faces[section] == nil {
        faces[section] = line.dropFirst("faces=".count).utf8
      }
    }
  }

  /// Returns the faces of an image, by its file name. Letters' case does not count.
  public func regions(of fileName: String) -> [FaceRegion] {
    guard let line = faces[fileName.lowercased()] else { return [] }
    return line.split(separator: UInt8(ascii: ";")).prefix(FaceRegion.most).compactMap { entry in
      let text = Substring(entry)
      guard text.hasPrefix("rect64("), let close = text.firstIndex(of: ")") else { return nil }
      let digits = text[text.index(text.startIndex, offsetBy: 7)..<close]
      guard digits.utf8.count <= 16, let value = UInt64(digits, radix: 16) else { return nil }
      let sides = [48, 32, 16, 0].map { Double(value >> UInt64($0) & 0xFFFF) / 65_535 }
      let box = NormalizedRect(x: sides[0], y: sides[1], width: sides[2] - sides[0], height: sides[3] - sides[1])
      guard box.isValid else { return nil }
      let id = text[text.index(after: close)...].drop { $0 == "," }.lowercased()
      return FaceRegion(name: names[id], box: box, source: .picasa)
    }
  }
}
