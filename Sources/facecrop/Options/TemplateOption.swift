import ArgumentParser
import FaceCrop
import FoundationEssentials
import SystemPackage

/// The template that faces are aligned to, and the mesh of each face, for training data.
struct TemplateOption: ParsableArguments {
  @Option(.of("template"), parse: Self.parsed) var template: FaceTemplate?
  @Flag(.of("mesh")) var mesh = false

  /// The upper bound of a template's file in bytes.
  private static let largestFile = 64 << 10

  private static func parsed(_ argument: String) throws -> FaceTemplate {
    if let known = FaceTemplate.all.first(where: { $0.name == argument }) { return known }
    guard argument.hasSuffix(".json") else {
      let names = FaceTemplate.all.map(\.name).joined(separator: ", ")
      throw ValidationError("'\(argument)' is not a template (use \(names), or a file that ends with .json)")
    }
    let bytes: [UInt8]
    do {
      // A pipe without a writer must not block.
      let file = try FileDescriptor.openAtOnce(FilePath(argument))
      bytes = try file.closeAfter { try file.bytes(upTo: largestFile + 1) }
    } catch {
      throw ValidationError("the template \(argument) cannot be read: \(error)")
    }
    guard bytes.count <= largestFile else {
      throw ValidationError("the template \(argument) is longer than \(largestFile) bytes")
    }
    do {
      return try JSONDecoder().decode(FaceTemplate.self, from: Data(bytes))
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      throw ValidationError("the template \(argument) is invalid: \(context.debugDescription)")
    } catch {
      throw ValidationError(
        "the template \(argument) is not a JSON object with name, size and points (example: {\"name\": \"mine\", \"size\": [96, 112], \"points\": [[30, 52], [66, 52], [48, 72], [34, 92], [63, 92]]})"
      )
    }
  }

  /// Returns the template with this filling outside of the image; nil keeps the template's own.
  func template(filledBy fill: PadFill?) -> FaceTemplate? {
    guard var template else { return nil }
    switch fill {
    case nil: break
    case .edge: template.border = .edge
    case .blur: template.border = .mirror
    case .color(let red, let green, let blue): template.border = .color(red: red, green: green, blue: blue)
    }
    return template
  }

  /// Refuses options whose effect the template determines.
  func check(_ wanted: RequestOptions) throws(ValidationError) {
    guard template != nil else { return }
    let conflict = FaceTemplate.conflict(
      faces: wanted.face.faces, noFace: wanted.face.noFace, alignsEyes: wanted.framing.align)
    if conflict == .severalFaces {
      throw ValidationError("--template shows one face in each output (use --faces each, or select one face)")
    }
    if conflict == .noFace {
      throw ValidationError(
        "--template has no output for an image without a face (use --no-face skip, maybe, person or fail)")
    }
  }
}
