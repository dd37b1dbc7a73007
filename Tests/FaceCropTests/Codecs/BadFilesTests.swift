import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

import FaceCrop

/// The files of Tests/Fixtures/bad.tar.xz, each named `WHAT.KIND.EXTENSION` after its expected error.
@Suite struct BadFilesTests {
  private static let archive = fixturePath("bad.tar.xz")

  /// The archive's files by name; unpacked once.
  private static let files: Result<[String: [UInt8]], any Error> = Result { try BadFilesTests.unpacked() }

  private static func unpacked() throws -> [String: [UInt8]] {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try Archive.unpack(archive, into: folder)
    var files: [String: [UInt8]] = [:]
    for name in try folder.names() { files[name] = try folder.bytes(name) }
    return files
  }

  /// The names of the files that this build reads.
  private static var names: [String] {
    get throws {
      var names = try files.get().keys.sorted()
      #if !HEIF
        names.removeAll { $0.hasSuffix(".heic") }
      #endif
      return names
    }
  }

  @Test(arguments: try names) func everyFileEndsAsItsNameSays(file: String) async throws {
    let parts = file.split(separator: ".")
    let kind = try #require(parts.count == 3 ? parts[1] : nil)
    let bytes = try #require(try Self.files.get()[file])
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let cropper = FaceCropper(detector: StubDetector())
    let source = ImageSource.file(FilePath(try folder.write(bytes, to: file)))
    do throws(FaceCropError) {
      let result = try await cropper.crop(source)
      #expect(kind == "ok")
      #expect(result.crops.count == 1)
      // Also an overview in color.
      _ = try await cropper.preview(of: source)
    } catch {
      #expect(error.kind == kind, "it \(error)")
    }
    // With damage allowed there may be an image; if not, the file is still at fault.
    var request = CropRequest()
    request.allowsDamage = true
    do throws(FaceCropError) {
      _ = try await cropper.crop(source, request: request)
    } catch {
      #expect(error.kind == kind && error.kind != "truncated", "it \(error)")
    }
  }

  /// The archive contains every file that the builders make; FACECROP_WRITE_FIXTURES=1 adds or replaces them.
  @Test func theArchiveHoldsAllHostileFiles() throws {
    let made = try HostileFile.all()
    for file in made { #expect(file.bytes.count <= 2_048, "\(file.name)") }
    if ProcessInfo.processInfo.environment["FACECROP_WRITE_FIXTURES"] == "1" {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      try Archive.unpack(Self.archive, into: folder)
      for file in made { try folder.write(file.bytes, to: file.name) }
      try Archive.pack(folder, into: Self.archive)
    } else {
      let stored = try Self.files.get()
      for file in made { #expect(stored[file.name] != nil, "\(file.name)") }
    }
  }
}
