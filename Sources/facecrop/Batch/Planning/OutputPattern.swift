import FaceCrop
import SystemPackage

/// The names of an image's outputs, relative to the output folder. The number of crops is unknown before detection.
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
  /// Stands between the input's name and the number of a face without a name of its own; nil for the first input.
  var unnamedCopy: Int?

  /// Returns the path of an output, by its crop and the index in ``sizes``.
  func path(_ crop: CropPlace, size: Int) -> FilePath {
    let name = name(index: Array("\(crop.number)".utf8), crop, size: size)
    let path = place.removingLastComponent().pushing(FilePath(bytes: name))
    guard !crop.hasFace, let noFaceFolder else { return path }
    return noFaceFolder.pushing(path)
  }

  /// Returns a name whose extension never contradicts the format.
  private func name(index: [UInt8], _ crop: CropPlace, size: Int) -> [UInt8] {
    let ending = OutputName.ending(format, like: place)
    var values = NameTemplate.Values(
      name: place.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? [], keepsExtension: keepsExtension,
      facts: facts, index: index, size: sizes.indices.contains(size) ? sizes[size] : nil, ending: ending)
    // A face without a name of its own has the input's, and its number.
    let number = crop.face.map { index == Self.anyIndex ? index : Array("\($0)".utf8) } ?? index
    values.person =
      person(crop).map { $0 + (copy.map { Array("-\($0)".utf8) } ?? []) }
      ?? Array(values.stem) + Array((unnamedCopy.map { "-\($0)-" } ?? "-").utf8) + number
    if let copy, !template.tellsInputsApart, let title = template.columns.last {
      values.facts.columns[title, default: []] += Array("-\(copy)".utf8)
    }
    var name = template.name(values)
    let end = Array(".\(ending)".utf8)
    // A repeated extension is removed: a.jpg, not a.jpg.jpg.
    if keepsExtension, name.suffix(2 * end.count).elementsEqual(end + end) { name.removeLast(end.count) }
    // An extension from a field belongs to the input, not to the template.
    let own = OutputName.format(of: FilePath(bytes: name))
    let isComplete = template.hasExtension || own == .written(format) || own == nil && template.endsInName
    return isComplete ? name : name + end
  }

  /// Returns the name that the list gives to the face of a crop; nil for none.
  private func person(_ crop: CropPlace) -> [UInt8]? {
    guard let persons = facts.persons, let place = NameList.place(of: crop, among: persons) else { return nil }
    return persons[place].isEmpty ? nil : persons[place]
  }

  /// Returns the problem of the list's names for an image, as a clause; nil without a problem.
  func problemOfNames(_ plan: CropPlan) -> String? {
    guard template.has(.person), let persons = facts.persons, !persons.isEmpty, !plan.faces.isEmpty else { return nil }
    if persons.count > plan.faces.count {
      return
        "the list has \(DisplayText.count(persons.count, "name")), and \(DisplayText.count(plan.faces.count, "face", "was", "were")) found, so names may be those of others (compare with facecrop detect --preview)"
    }
    let unnamed = plan.places(hasFace: true).first { $0.face != nil && NameList.place(of: $0, among: persons) == nil }
    guard let face = unnamed?.face else { return nil }
    return "the list has no name for face \(face) from the left (add it behind the others)"
  }

  /// Returns the first output's path, if it differs from the input's own name; all first ones, in lines, if the day or
  /// the person is in them.
  func settledName(of input: BatchInput) -> FilePath? {
    if template.has(.date) || template.has(.person) {
      return FilePath(bytes: Array(firstPaths.map(\.bytes).joined(separator: [UInt8(ascii: "\n")])))
    }
    return keepsExtension || place != input.place ? path(CropPlace(), size: 0) : nil
  }

  /// The crops whose names differ by more than an index, by their numbers: those with persons, and the first behind them.
  private var numbers: ClosedRange<Int> { 1...(template.has(.person) ? (facts.persons?.count ?? 0) + 1 : 1) }

  /// The paths of those crops, in all sizes.
  var firstPaths: [FilePath] {
    numbers.flatMap { number in
      (0..<max(sizes.count, 1)).map { path(Self.crop(number), size: $0) }
    }
  }

  /// The names of ``firstPaths`` without indexes. Images whose outputs could have one name share a key.
  var keys: [String] { namedKeys + unnamedKeys }

  /// The keys of names that the image's outputs have in any case.
  var namedKeys: [String] { keys(of: template.has(.person) ? Array(numbers.dropLast()) : Array(numbers)) }
  /// The keys of names for faces without one of their own, which only the detection pass can find.
  var unnamedKeys: [String] { keys(of: template.has(.person) ? [numbers.upperBound] : []) }

  private static func crop(_ number: Int) -> CropPlace {
    CropPlace(number: number, face: number, isAlone: number == 1)
  }

  private func keys(of numbers: [Int]) -> [String] {
    numbers.flatMap { number in
      let crop = Self.crop(number)
      return (0..<max(sizes.count, 1)).map { size in
        let isNamed = template.has(.person) && number < self.numbers.upperBound
        guard template.has(.index) || template.has(.person) && !isNamed else {
          return Self.folded(path(crop, size: size).bytes)
        }
        let marked =
          place.removingLastComponent().bytes + [UInt8(ascii: "/")]
          + name(index: Self.anyIndex, crop, size: size)
        return Self.folded(Self.withoutDigits(in: marked, beside: Self.anyIndex[0]))
      }
    }
  }

  /// Stands for every index. No file name contains this byte.
  private static let anyIndex: [UInt8] = [0]

  /// Removes digits beside an index, which could be part of it: `a1` with index 1 and `a` with index 11 are equal.
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
