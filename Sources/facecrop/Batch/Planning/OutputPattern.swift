import FaceCrop
import SystemPackage

/// The names of one picture's outputs, below the output folder. How many crops there will be is not known before the look.
struct OutputPattern: Sendable {
  var template: NameTemplate
  /// The input's place.
  var place: FilePath
  var format: ImageFormat
  /// Asked for; empty or one has no part in the standard names.
  var sizes: [Int]
  /// Below the output folder, for outputs of images without a face; nil for the output folder itself.
  var noFaceFolder: FilePath? = nil
  /// Whether {stem} stands for the name with its extension, to tell it from another input's.
  var keepsExtension = false

  /// - Parameters:
  ///   - number: the crop's, counted from 1.
  ///   - size: which of ``sizes``.
  ///   - hasFace: whether the image has the face that was asked for.
  func path(number: Int, size: Int, hasFace: Bool = true) -> FilePath {
    let path = path(index: Array("\(number)".utf8), size: size)
    guard !hasFace, let noFaceFolder else { return path }
    return noFaceFolder.pushing(path)
  }

  private func path(index: [UInt8], size: Int) -> FilePath {
    place.removingLastComponent().pushing(FilePath(bytes: name(index: index, size: size)))
  }

  /// Never one that says another kind of picture than it is.
  private func name(index: [UInt8], size: Int) -> [UInt8] {
    let ending = OutputName.ending(format, like: place)
    var name = template.name(
      NameTemplate.Values(
        name: place.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? [], keepsExtension: keepsExtension,
        index: index, size: sizes.indices.contains(size) ? sizes[size] : nil, ending: ending))
    let end = Array(".\(ending)".utf8)
    // Once is enough: a.jpg, not a.jpg.jpg.
    if keepsExtension, name.suffix(2 * end.count).elementsEqual(end + end) { name.removeLast(end.count) }
    // An extension that the template has not written is the input's.
    let said = template.endsInField ? OutputName.format(of: FilePath(bytes: name)) : nil
    return said == nil || said == .written(format) ? name : name + end
  }

  /// Where the name is not the one that the input alone would have: the first output's path.
  func settledName(of input: BatchInput) -> FilePath? {
    keepsExtension || place != input.place ? path(number: 1, size: 0) : nil
  }

  /// The paths of the first crop, in all sizes.
  var firstPaths: [FilePath] { (0..<max(sizes.count, 1)).map { path(number: 1, size: $0) } }

  /// The name of an output whatever its index: two pictures whose outputs could ever be named alike have one in common.
  var keys: [String] {
    // A byte that no name has.
    let anyIndex: UInt8 = 0
    return (0..<max(sizes.count, 1)).map { size in
      guard template.has(.index) else { return Self.folded(path(number: 1, size: size).bytes) }
      let marked = place.removingLastComponent().bytes + [UInt8(ascii: "/")] + name(index: [anyIndex], size: size)
      return Self.folded(Self.withoutDigits(in: marked, beside: anyIndex))
    }
  }

  /// Digits that stand beside an index could be part of it: `a1` with index 1 and `a` with index 11 are one name.
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

  /// The same for names that a file system may take for one: of other case, or of other Unicode form, which strings compare
  /// as equal.
  private static func folded(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text.lowercased() }
    // Each byte as a letter of its own.
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).lowercased()
  }
}
