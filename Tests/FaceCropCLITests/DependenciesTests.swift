import Foundation
import Testing

/// The binary loads the OpenCV libraries that face detection needs and no others: all of them would be 60 libraries and
/// half a second of start-up, and imgcodecs brings decoders that no one asked for.
@Suite struct DependenciesTests {
  /// The libraries that a binary loads, by name, with their paths.
  private func libraries(_ path: String) throws -> [String: String] {
    let outcome = try Facecrop.bash("ldd '\(path)'")
    try #require(outcome.status == 0, "\(outcome.stderr)")
    var libraries: [String: String] = [:]
    for line in outcome.lines {
      let parts = line.split(separator: " ").map { $0.trimmingCharacters(in: .whitespaces) }
      if parts.count >= 3, parts[1] == "=>" { libraries[parts[0]] = parts[2] }
    }
    return libraries
  }

  @Test func openCVIsObjectDetectionAlone() throws {
    let own = try libraries(Facecrop.path)
    let detection = try #require(own.first { $0.key.hasPrefix("libopencv_objdetect.") })
    let needed = Set(try libraries(detection.value).keys).union([detection.key])
    func openCV(_ names: some Sequence<String>) -> [String] { names.filter { $0.hasPrefix("libopencv_") }.sorted() }
    #expect(openCV(own.keys) == openCV(needed))
    #expect(own.keys.contains { $0.hasPrefix("libopencv_core.") })
    #expect(own.keys.contains { $0.hasPrefix("libopencv_imgproc.") })
  }

  /// Each format's own library but libheif, and no other that reads pictures.
  @Test func codecsAreThoseOfTheFormats() throws {
    let own = try libraries(Facecrop.path).keys
    for codec in [
      "libjpeg.", "libpng16.", "libwebp.", "libwebpdemux.", "libwebpmux.", "libdav1d.", "libde265.",
    ] {
      #expect(own.contains { $0.hasPrefix(codec) }, "\(codec)")
    }
    for unwanted in ["tiff", "gif", "openjp", "avif", "exr", "magick"] {
      #expect(own.filter { $0.lowercased().contains(unwanted) } == [])
    }
  }

  @Test func nothingHeavyIsLoaded() throws {
    let own = try libraries(Facecrop.path)
    // libheif comes with the first picture of its own.
    for unwanted in ["gdal", "imgcodecs", "videoio", "highgui", "Qt", "gtk", "libheif", "x265"] {
      #expect(own.keys.filter { $0.contains(unwanted) } == [])
    }
  }

  @Test func everyLibraryIsFound() throws {
    #expect(!(try Facecrop.bash("ldd '\(Facecrop.path)'")).text.contains("not found"))
  }
}
