import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// The files of `../shared/raster`, which are outside of the repository. Every file that Pillow opens must open here
/// with the same size, and with the pixels of libtiff's and giflib's simplest calls within a level.
@Suite struct SharedRasterTests {
  private struct Entry: Decodable {
    var file: String
    /// `ok WIDTHxHEIGHT MODE FORMAT`, or an error.
    var pillow: String

    var size: PixelSize? {
      let parts = pillow.split(separator: " ")
      guard parts.first == "ok" else { return nil }
      let sides = parts[1].split(separator: "x").compactMap { Int($0) }
      return PixelSize(width: sides[0], height: sides[1])
    }
  }

  /// Tests/FaceCropTests/Codecs/SharedRasterTests.swift, four levels below the package.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("../shared/raster")
    .standardizedFileURL
  private static let hasFiles = FileManager.default.fileExists(
    atPath: folder.appendingPathComponent("manifest.json").path)

  /// Variants that the README excludes.
  private static let refused = ["old-style JPEG"]

  private static func entries(_ prefix: String) throws -> [Entry] {
    let manifest = try Data(contentsOf: folder.appendingPathComponent("manifest.json"))
    return try JSONDecoder().decode([Entry].self, from: manifest).filter { $0.file.hasPrefix(prefix) }
  }

  private static func bytes(_ entry: Entry) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appendingPathComponent(entry.file)))
  }

  private static func picture(_ file: [UInt8], allowsDamage: Bool = false) throws -> (
    pixels: Pixels, header: ImageHeader
  ) {
    try withSession(file, allowsDamage: allowsDamage) { (session) throws(FaceCropError) in
      (Pixels(try session.region(PixelRect(whole: session.header.size, scale: 8))), session.header)
    }
  }

  @Test(.enabled(if: hasFiles)) func everyTIFFIsReadOrRefusedForAReason() throws {
    try check("tif/") { file, picture in
      // The reference does not support CMYK of 16 bits.
      guard let reference = try? referenceDecodeTIFF(file) else { return nil }
      let rgba = picture.rgba.samples
      // libtiff's colors are premultiplied.
      let own = Pixels(
        width: picture.width, height: picture.height, channels: 4,
        samples: rgba.indices.map { index in
          let (value, alpha) = (Int(rgba[index]), Int(rgba[index | 3]))
          return index & 3 == 3 ? UInt8(alpha) : UInt8((value * alpha + 127) / 255)
        })
      let difference = own.maximumDifference(from: reference)
      return difference <= 1 ? nil : "\(difference) levels off"
    }
  }

  @Test(.enabled(if: hasFiles)) func everyGIFIsReadOrRefusedForAReason() throws {
    try check("gif/") { file, picture in
      guard let indices = try? referenceDecodeGIF(file) else { return nil }
      let header = try unsafe file.span.withBuffer { (bytes) throws(FaceCropError) in
        try GIFHeader(reading: unsafe ImageBytes(bytes, isFileMapping: false), job: .forTests())
      }
      let own = picture.rgba
      for row in 0..<indices.height {
        for column in 0..<indices.width {
          let color = header.colors[4 * Int(indices[column, row][0])..<4 * Int(indices[column, row][0]) + 4]
          if own[column + header.frame.rect.x, row + header.frame.rect.y] != Array(color) {
            return "another color at \(column), \(row)"
          }
        }
      }
      return nil
    }
  }

  private func check(_ prefix: String, _ compare: ([UInt8], Pixels) throws -> String?) throws {
    var faults: [String] = []
    var (read, refused) = (0, 0)
    for entry in try Self.entries(prefix) {
      let file = try Self.bytes(entry)
      do {
        let picture = try Self.picture(file)
        guard let size = entry.size else { continue }
        read += 1
        // Pillow's size is that of the stored image.
        if picture.header.size != size { faults.append("\(entry.file): \(picture.header.size), not \(size)") }
        if let fault = try compare(file, picture.pixels) { faults.append("\(entry.file): \(fault)") }
      } catch let error as FaceCropError {
        guard entry.size != nil else { continue }
        refused += 1
        if !Self.refused.contains(where: { "\(error)".contains($0) }) { faults.append("\(entry.file): it \(error)") }
      }
    }
    #expect(read >= 25 && refused <= 2, "\(read) read, \(refused) refused")
    #expect(faults.isEmpty, "\(faults.count) faults:\n\(faults.joined(separator: "\n"))")
  }
}
