import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

import FaceCrop

/// The files of Tests/Fixtures/bad, each named `WHAT.KIND.EXTENSION` after its expected error.
@Suite struct BadFilesTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/bad")

  private static var files: [String] {
    get throws {
      var files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".md") }
      #if !HEIF
        files.removeAll { $0.hasSuffix(".heic") }
      #endif
      return files.sorted()
    }
  }

  @Test(arguments: try files) func everyFileEndsAsItsNameSays(file: String) async throws {
    let parts = file.split(separator: ".")
    let kind = try #require(parts.count == 3 ? parts[1] : nil)
    let cropper = FaceCropper(detector: StubDetector())
    let source = ImageSource.file(FilePath(Self.folder.appending(path: file).path))
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

  /// The folder contains every file that the builders make; FACECROP_WRITE_FIXTURES=1 writes them.
  @Test func theFolderHoldsAllHostileFiles() throws {
    let stored = try Set(Self.files)
    let isWriting = ProcessInfo.processInfo.environment["FACECROP_WRITE_FIXTURES"] == "1"
    for file in try HostileFile.all() {
      #expect(file.bytes.count <= 2_048, "\(file.name)")
      if isWriting {
        try Data(file.bytes).write(to: Self.folder.appending(path: file.name))
      } else {
        #expect(stored.contains(file.name), "\(file.name)")
      }
    }
  }
}
