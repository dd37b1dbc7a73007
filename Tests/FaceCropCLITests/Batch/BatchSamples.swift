import Foundation
import Glibc
import TestSupport

/// Folders of images for batches.
struct BatchSamples {
  /// Relative names of all inputs, in bytes.
  private(set) var names: [[UInt8]] = []

  /// Portraits of several sizes and face positions in every readable format, and one without a face.
  private static let pictures = Result {
    let portrait = try astronaut()
    var pictures: [(bytes: [UInt8], ending: String)] = []
    for (index, encode) in encoders.enumerated() {
      let side = 300 + 20 * index
      let cut = portrait.cropped(x: 10 * index, y: 4 * index, width: side, height: side - 10)
      pictures.append((try encode.file(cut), encode.ending))
    }
    pictures.append((try Samples.faceless(), "jpg"))
    return pictures
  }

  private typealias Encoder = (ending: String, file: @Sendable (Pixels) throws -> [UInt8])
  private static let encoders: [Encoder] = {
    var encoders: [Encoder] = [
      ("jpg", { try JPEGRecipe.baseline420.encode($0) }), ("jpg", { try JPEGRecipe.baseline444.encode($0) }),
      ("png", { PNGBuilder($0).encoded() }), ("jpg", { try JPEGRecipe.progressive.encode($0) }),
      ("webp", { try encodeWebP($0.rgba, quality: 80) }), ("jpg", { try JPEGRecipe.gray.encode($0) }),
    ]
    #if HEIF
      for (ending, codec) in [("heic", CodedItem.Codec.hevc), ("avif", .av1)] {
        encoders.append(
          (
            ending,
            { pixels in
              var file = HEIFBuilder()
              file.brand = ending
              _ = file.add(try CodedItem(pixels, codec: codec), [])
              return file.encoded()
            }
          ))
      }
    #endif
    return encoders
  }()

  /// Damages one file in twenty.
  private static func damaged(_ bytes: [UInt8], _ index: Int) -> [UInt8] {
    switch index % 6 {
    case 0: Array(bytes.prefix(bytes.count / 2))
    case 1: []
    case 2: Array("no picture\n".utf8)
    case 3: Array(bytes.prefix(2))
    case 4: [UInt8](repeating: 0, count: 4_000)
    default: Array(bytes[..<(bytes.count / 3)]) + [UInt8](repeating: 0xFF, count: 2_000)
    }
  }

  private static func name(_ index: Int, _ ending: String) -> [UInt8] {
    let number = Array("\(index).\(ending)".utf8)
    return switch index % 10 {
    case 1: Array("a picture with spaces ".utf8) + number
    case 2: Array("line\nbreak-".utf8) + number
    case 3: [0xE9, 0xFF] + number
    case 4: [UInt8](repeating: UInt8(ascii: "n"), count: 255 - number.count) + number
    case 5: Array("--leading-".utf8) + number
    case 6: Array("\u{1F600}'\"$`\\".utf8) + number
    default: Array("p".utf8) + number
    }
  }

  /// Writes `count` files below a folder; one in twenty cannot be cropped.
  init(_ count: Int, in folder: String) throws {
    let pictures = try Self.pictures.get()
    for index in 0..<count {
      let sub = ["", "sub/", "sub/deeper/", "other folder/"][index / 7 % 4]
      try FileManager.default.createDirectory(atPath: "\(folder)/\(sub)", withIntermediateDirectories: true)
      let picture = pictures[index % pictures.count]
      let name = Array(sub.utf8) + Self.name(index, picture.ending)
      try Self.write(
        index % 20 == 19 ? Self.damaged(picture.bytes, index / 20) : picture.bytes, to: Array("\(folder)/".utf8) + name)
      names.append(name)
    }
  }

  /// Writes a file whose name may not be text.
  static func write(_ bytes: [UInt8], to path: [UInt8]) throws {
    let descriptor = unsafe (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
      unsafe open($0.baseAddress!, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    }
    guard descriptor >= 0 else { throw FixtureError("a file cannot be made") }
    defer { close(descriptor) }
    guard unsafe bytes.withUnsafeBytes({ unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count
    else {
      throw FixtureError("a file cannot be written")
    }
  }
}

/// A manifest for tests.
struct ManifestJSON {
  /// The lines after the first, in order; the last line of an input counts.
  let lines: [[String: Any]]

  init(_ text: String) throws {
    let all = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    guard all.first == #"{"format":"facecrop-manifest","version":1}"# else {
      throw FixtureError("the first line does not say that it is a manifest: \(all.first ?? "")")
    }
    lines = try all.dropFirst().map(jsonObject)
  }

  /// The entries by the input's name, as text, or as Base64 if it is not text.
  var entries: [String: [String: Any]] {
    Dictionary(
      lines.map { (($0["inputBase64"] ?? $0["input"]) as? String ?? "", $0) }, uniquingKeysWith: { $1 })
  }

  func count(_ status: String) -> Int { entries.values.count { $0["status"] as? String == status } }

  func reason(_ input: String) -> (kind: String, message: String) {
    let reason = entries[input]?["reason"] as? [String: Any]
    return (reason?["kind"] as? String ?? "", reason?["message"] as? String ?? "")
  }

  func status(_ input: String) -> String { entries[input]?["status"] as? String ?? "none" }

  /// Returns everything that must be equal in each run: all but the times.
  func reproducible() throws -> [String: String] {
    try entries.mapValues { entry in
      var entry = entry
      entry["milliseconds"] = nil
      return String(decoding: try JSONSerialization.data(withJSONObject: entry, options: .sortedKeys), as: UTF8.self)
    }
  }
}

extension TemporaryFolder {
  func manifest(_ name: String = "out/manifest.ndjson") throws -> ManifestJSON { try ManifestJSON(text(name)) }

  /// Returns names and checksums of the files in a folder, except the manifest.
  func checksums(_ name: String) throws -> [String] {
    try Facecrop.prepare(
      "cd '\(name)' && find . -type f ! -name manifest.ndjson -print0 | LC_ALL=C sort -z | xargs -0r sha256sum",
      in: self
    ).lines
  }
}
