import FaceCrop
import SystemPackage

/// The names of an image's outputs, relative to the output folder. The number of crops is unknown before the detection
/// pass.
struct OutputPattern: Sendable {
  var template: NameTemplate
  /// The path of the input relative to the output folder.
  var place: FilePath
  var format: ImageFormat
  /// The requested sizes. A single size is not part of the default names.
  var sizes: [String]
  /// The folder for outputs of images without a face, relative to the output folder; nil for the output folder itself.
  var noFaceFolder: FilePath? = nil
  /// The values of the template's other fields.
  var facts = InputFacts()
  /// Whether {stem} includes the extension, to distinguish inputs.
  var keepsExtension = false
  /// Stands behind {person}, where other inputs show the same person; nil for the first of them.
  var copy: Int?

  /// Returns the path of an output, by the number of the crop, from 1, and the index in ``sizes``. `hasFace` tells
  /// whether the image has the requested face.
  func path(number: Int, size: Int, hasFace: Bool = true) -> FilePath {
    let path = path(index: Array("\(number)".utf8), number: number, size: size)
    guard !hasFace, let noFaceFolder else { return path }
    return noFaceFolder.pushing(path)
  }

  private func path(index: [UInt8], number: Int, size: Int) -> FilePath {
    place.removingLastComponent().pushing(FilePath(bytes: name(index: index, number: number, size: size)))
  }

  /// Returns a name whose extension never contradicts the format.
  private func name(index: [UInt8], number: Int, size: Int) -> [UInt8] {
    let ending = OutputName.ending(format, like: place)
    var values = NameTemplate.Values(
      name: place.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? [], keepsExtension: keepsExtension,
      folder: facts.folder, date: facts.date, index: index, size: sizes.indices.contains(size) ? sizes[size] : nil,
      ending: ending)
    // A face without a name of its own has the input's.
    values.person =
      person(number).map { $0 + (copy.map { Array("-\($0)".utf8) } ?? []) }
      ?? Array(values.stem) + [UInt8(ascii: "-")] + index
    var name = template.name(values)
    let end = Array(".\(ending)".utf8)
    // A repeated extension is removed: a.jpg, not a.jpg.jpg.
    if keepsExtension, name.suffix(2 * end.count).elementsEqual(end + end) { name.removeLast(end.count) }
    // An extension from a field belongs to the input, not to the template.
    let said = template.endsInField ? OutputName.format(of: FilePath(bytes: name)) : nil
    return said == nil || said == .written(format) ? name : name + end
  }

  /// Returns the name that the list gives to a face, by the number of its crop; nil for none.
  private func person(_ number: Int) -> [UInt8]? {
    guard let persons = facts.persons, persons.indices.contains(number - 1) else { return nil }
    return persons[number - 1].isEmpty ? nil : persons[number - 1]
  }

  /// Returns the first output's path, if it differs from the input's own name.
  func settledName(of input: BatchInput) -> FilePath? {
    if template.has(.date) || template.has(.person) {
      return FilePath(bytes: Array(firstPaths.map(\.bytes).joined(separator: [UInt8(ascii: "\n")])))
    }
    return keepsExtension || place != input.place ? path(number: 1, size: 0) : nil
  }

  /// The crops whose names differ by more than an index, by their numbers: those with persons, and the first behind them.
  private var numbers: ClosedRange<Int> { 1...(template.has(.person) ? (facts.persons?.count ?? 0) + 1 : 1) }

  /// The paths of those crops, in all sizes.
  var firstPaths: [FilePath] {
    numbers.flatMap { number in (0..<max(sizes.count, 1)).map { path(number: number, size: $0) } }
  }

  /// The name of an output whatever its index, for each of ``firstPaths``: two pictures whose outputs could ever be named alike have one
  /// in common.
  var keys: [String] {
    // No file name contains this byte.
    let anyIndex: UInt8 = 0
    return numbers.flatMap { number in
      (0..<max(sizes.count, 1)).map { size in
        let isNamed = template.has(.person) && number < numbers.upperBound
        guard template.has(.index) || template.has(.person) && !isNamed else {
          return Self.folded(path(number: number, size: size).bytes)
        }
        let marked =
          place.removingLastComponent().bytes + [UInt8(ascii: "/")]
          + name(index: [anyIndex], number: number, size: size)
        return Self.folded(Self.withoutDigits(in: marked, beside: anyIndex))
      }
    }
  }

  /// Removes digits beside an index, because they could be part of it: `a1` with index 1 and `a` with index 11 are
  /// equal.
  private static func withoutDigits(in name: [UInt8], beside mark: UInt8) -> [UInt8] {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    var result: [UInt8] = []
    var isBesideMark = false
    for byte in name {
      if byte == mark {
        while let last = result.last, digits.contains(last) { result.removeLast() }
        isBesideMark = true
      } else if isBesideMark && digits.contains(byte) {
        continue
      } else {
        isBesideMark = false
      }
      result.append(byte)
    }
    return result
  }

  /// Returns a key that is equal for names that a file system may treat as equal: with other case, or another Unicode
  /// form, which strings compare as equal.
  private static func folded(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text.lowercased() }
    // Each byte becomes a letter.
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).lowercased()
  }
}
