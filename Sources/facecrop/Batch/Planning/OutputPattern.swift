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
  var sizes: [Int]
  /// The folder for outputs of images without a face, relative to the output folder; nil for the output folder itself.
  var noFaceFolder: FilePath? = nil
  /// Whether {stem} includes the extension, to distinguish inputs.
  var keepsExtension = false

  /// Returns the path of an output, by the number of the crop, from 1, and the index in ``sizes``. `hasFace` tells
  /// whether the image has the requested face.
  func path(number: Int, size: Int, hasFace: Bool = true) -> FilePath {
    let path = path(index: Array("\(number)".utf8), size: size)
    guard !hasFace, let noFaceFolder else { return path }
    return noFaceFolder.pushing(path)
  }

  private func path(index: [UInt8], size: Int) -> FilePath {
    place.removingLastComponent().pushing(FilePath(bytes: name(index: index, size: size)))
  }

  /// Returns a name whose extension never contradicts the format.
  private func name(index: [UInt8], size: Int) -> [UInt8] {
    let ending = OutputName.ending(format, like: place)
    var name = template.name(
      NameTemplate.Values(
        name: place.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? [], keepsExtension: keepsExtension,
        index: index, size: sizes.indices.contains(size) ? sizes[size] : nil, ending: ending))
    let end = Array(".\(ending)".utf8)
    // A repeated extension is removed: a.jpg, not a.jpg.jpg.
    if keepsExtension, name.suffix(2 * end.count).elementsEqual(end + end) { name.removeLast(end.count) }
    // An extension from a field belongs to the input, not to the template.
    let said = template.endsInField ? OutputName.format(of: FilePath(bytes: name)) : nil
    return said == nil || said == .written(format) ? name : name + end
  }

  /// Returns the first output's path, if it differs from the input's own name.
  func settledName(of input: BatchInput) -> FilePath? {
    keepsExtension || place != input.place ? path(number: 1, size: 0) : nil
  }

  /// The paths of the first crop in all sizes.
  var firstPaths: [FilePath] { (0..<max(sizes.count, 1)).map { path(number: 1, size: $0) } }

  /// The names of outputs with any index. Images whose outputs can collide share one.
  var keys: [String] {
    // No file name contains this byte.
    let anyIndex: UInt8 = 0
    return (0..<max(sizes.count, 1)).map { size in
      guard template.has(.index) else { return Self.folded(path(number: 1, size: size).bytes) }
      let marked = place.removingLastComponent().bytes + [UInt8(ascii: "/")] + name(index: [anyIndex], size: size)
      return Self.folded(Self.withoutDigits(in: marked, beside: anyIndex))
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
