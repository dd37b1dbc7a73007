import Foundation
import TestSupport
import Testing

/// Libraries of the binary. Only the most common formats' are linked; the others are loaded on demand.
@Suite struct DependenciesTests {
  /// Returns the libraries that a binary loads, by name, with their paths.
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

  /// The libraries of the formats except libaom, libtiff and libjxl, and no other image library.
  @Test func codecsAreThoseOfTheFormats() throws {
    let own = try libraries(Facecrop.path).keys
    for codec in [
      "libjpeg.", "libpng16.", "libwebp.", "libwebpdemux.", "libwebpmux.", "libdav1d.", "libde265.",
    ] {
      #expect(own.contains { $0.hasPrefix(codec) }, "\(codec)")
    }
    for unwanted in ["openjp", "avif", "exr", "magick"] {
      #expect(own.filter { $0.lowercased().contains(unwanted) } == [])
    }
  }

  @Test func loadsNoOptionalLibrary() throws {
    let own = try libraries(Facecrop.path)
    for unwanted in [
      "opencv", "tbb", "lapack", "gdal", "Qt", "gtk", "libheif", "x265", "libaom", "libtiff", "libjxl", "Lerc",
    ] {
      #expect(own.keys.filter { $0.contains(unwanted) } == [])
    }
  }

  @Test func everyLibraryIsFound() throws {
    #expect(!(try Facecrop.bash("ldd '\(Facecrop.path)'")).text.contains("not found"))
  }

  // MARK: Libraries loaded on demand

  /// Returns the libraries that a run of the command loads, including those of its start.
  private func loaded(_ arguments: String, in folder: TemporaryFolder) throws -> Set<String> {
    let outcome = try Facecrop.bash(
      "LD_DEBUG=files LD_DEBUG_OUTPUT=loaded facecrop \(arguments) >&2 && cat loaded.*; rm -f loaded.*",
      currentDirectory: folder.path)
    try #require(!outcome.lines.isEmpty, "\(outcome.stderr)")
    // "  1234:	calling init: /lib/x86_64-linux-gnu/libopencv_core.so.406"
    return Set(
      outcome.lines.filter { $0.contains("calling init: ") }
        .compactMap { $0.split(separator: "/").last?.split(separator: ".").first.map(String.init) })
  }

  private func openCV(_ libraries: Set<String>) -> [String] {
    libraries.filter { $0.hasPrefix("libopencv_") }.sorted()
  }

  @Test func openCVComesWhenItIsCalled() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      try folder.write(
        Array(
          #"""
          {"version":1,"source":{"width":512,"height":512},"detector":"x","faces":[],
           "crops":[{"region":{"x":0.2,"y":0.1,"width":0.5,"height":0.5},"faces":[]}]}
          """#.utf8), to: "plan.json")
      for arguments in [
        "--version", "info in.jpg", "crop in.jpg -o out.jpg --plan-in plan.json",
        "avatar in.jpg -o out.jpg", "avatar in.jpg -o out.png --detector yunet --size 256,64 --shape circle",
        "detect in.jpg",
      ] {
        let loaded = try loaded(arguments, in: folder)
        #expect(loaded.contains("libjpeg") && openCV(loaded) == [], "\(arguments)")
      }
      // With the modules that it is linked with, and no other: imgcodecs would bring unneeded decoders.
      let detection = try loaded("detect in.jpg --detector haar", in: folder)
      #expect(
        openCV(detection) == [
          "libopencv_calib3d", "libopencv_core", "libopencv_dnn", "libopencv_features2d", "libopencv_flann",
          "libopencv_imgproc", "libopencv_objdetect",
        ])
      #expect(detection.contains("libtbb"))
      // The command turns OpenCV's threads off, so their allocator is not loaded, except by OpenCV 4.10.
      if try Facecrop.bash("PATH=$PATH:/sbin ldconfig -p").text.contains("libopencv_core.so.406") {
        #expect(!detection.contains("libtbbmalloc"))
      }
    }
  }

  /// The options that README.md names.
  @Test func someOptionsLoadOpenCV() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      for arguments in [
        "crop in.jpg -o out.jpg --preset passport", "crop in.jpg -o out.jpg --template arcface-112",
        "avatar in.jpg -o out.jpg --pad edge", "avatar in.jpg -o out.jpg --align", "detect in.jpg --preview shown.jpg",
        "check in.jpg",
      ] {
        #expect(openCV(try loaded("\(arguments) || true", in: folder)).contains("libopencv_imgproc"), "\(arguments)")
      }
      for arguments in ["avatar in.jpg -o out.jpg --pad 336699", "blur in.jpg -o out.jpg"] {
        #expect(openCV(try loaded(arguments, in: folder)) == [], "\(arguments)")
      }
    }
  }

  @Test func libtiffComesWithATIFFPicture() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      try folder.write(TIFFBuilder(width: 20, height: 10).encoded(), to: "in.tiff")
      #expect(try !loaded("crop in.jpg -o out.jpg", in: folder).contains("libtiff"))
      #expect(try !loaded("info in.tiff", in: folder).contains("libtiff"))
      #expect(try loaded("crop in.tiff -o out.jpg", in: folder).contains("libtiff"))
      // A file that is no library.
      try FileManager.default.createSymbolicLink(
        atPath: folder / "libtiff.so.6", withDestinationPath: "/dev/null")
      let outcome = try Facecrop.run(
        "crop", folder / "in.tiff", "-o", folder / "out.jpg", environment: ["LD_LIBRARY_PATH": folder.path])
      #expect(outcome.status == 1 && outcome.stderr.contains("install libtiff6"), "\(outcome.stderr)")
    }
  }

  @Test func libjxlComesWithAJPEGXLPicture() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      try folder.write(JXLRecipe().encode(.testPattern(width: 20, height: 10)), to: "in.jxl")
      #expect(try !loaded("crop in.jpg -o out.jpg", in: folder).contains("libjxl"))
      #expect(try loaded("crop in.jxl -o out.jpg", in: folder).contains("libjxl"))
      let outcome = try Facecrop.run("crop", folder / "in.jxl", "-o", folder / "out.jpg")
      #expect(outcome.status == 0, "\(outcome.stderr)")
      // A file that is no library in its place, for every version.
      for version in ["0.7", "0.8", "0.9", "0.10", "0.11", "0.12"] {
        try FileManager.default.createSymbolicLink(
          atPath: folder / "libjxl.so.\(version)", withDestinationPath: "/dev/null")
      }
      let without = try Facecrop.run(
        "crop", folder / "in.jxl", "-o", folder / "out.jpg", environment: ["LD_LIBRARY_PATH": folder.path])
      #expect(without.status == 1 && without.stderr.contains("install libjxl0."), "\(without.stderr)")
    }
  }

  /// Only the encoder: libheif would bring x265, whose license is the GPL.
  @Test func libaomComesWithAnAVIFFileThatIsWritten() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let encoding = try loaded("crop in.jpg -o out.avif", in: folder)
      #expect(encoding.contains("libaom") && encoding.isDisjoint(with: ["libheif", "libx265", "libnuma"]))
      #expect(try !loaded("crop out.avif -o out.jpg", in: folder).contains("libaom"))
      try FileManager.default.createSymbolicLink(
        atPath: folder / "libaom.so.3", withDestinationPath: "/dev/null")
      let outcome = try Facecrop.run(
        "crop", folder / "in.jpg", "-o", folder / "again.avif", environment: ["LD_LIBRARY_PATH": folder.path])
      #expect(outcome.status == 1 && outcome.stderr.contains("install libaom3"), "\(outcome.stderr)")
    }
  }

  /// A file that is no library, and a library that lacks the functions.
  @Test(arguments: [("/dev/null", "file too short"), ("libz.so.1", "undefined symbol: _ZN")])
  func namesTheMissingLibrary(instead: String, reason: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let own = try libraries(Facecrop.path)
      let known = try Facecrop.bash("PATH=$PATH:/sbin ldconfig -p").lines
        .compactMap { $0.split(separator: " ").first?.trimmingCharacters(in: .whitespaces) }
      let name = try #require(known.first { $0.hasPrefix("libopencv_imgproc.so.") })
      try FileManager.default.createDirectory(atPath: folder / "lib", withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: folder / "lib/\(name)", withDestinationPath: own[instead] ?? instead)
      let outcome = try Facecrop.run(
        "detect", folder / "in.jpg", "--detector", "haar", environment: ["LD_LIBRARY_PATH": folder / "lib"])
      #expect(outcome.status == 1)
      let line = try #require(outcome.lines.first)
      let error = try #require(try DetectJSON(line).error)
      #expect(error.kind == "library")
      for part in [name, "install libopencv-imgproc", reason] {
        #expect(error.message.contains(part), "\(error.message)")
      }
    }
  }
}
