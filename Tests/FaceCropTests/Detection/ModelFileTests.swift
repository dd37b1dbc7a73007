import Glibc
import SystemPackage
import Testing

@testable import FaceCrop

@Suite struct ModelFileTests {
  @Test(arguments: [ModelFile.frontalFace, .frontalFaceStumps, .profileFace, .eyes])
  func ownModelsAreWhatTheyShouldBe(model: ModelFile) throws {
    #expect(try !model.read(folder: nil).bytes.isEmpty)
  }

  /// A pipe would block everyone that needs the detector.
  @Test func aPipeIsNoModel() throws {
    let folder = FilePath("/tmp/facecrop-models-\(getpid())-pipe")
    guard unsafe mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
    let path = folder.appending(ModelFile.frontalFace.name)
    defer {
      unsafe unlink(path.string)
      unsafe rmdir(folder.string)
    }
    guard unsafe mkfifo(path.string, 0o600) == 0 else { throw Errno(rawValue: errno) }
    expectFault("model", naming: path.string, "not a regular file") { try ModelFile.frontalFace.read(folder: folder) }
  }

  /// A file of that name with other bytes is refused, with both digests, before OpenCV sees it.
  @Test(arguments: ["", "no model", "one byte more"])
  func anotherFileOfThatNameIsRefused(content: String) throws {
    let model = ModelFile.frontalFace
    let folder = FilePath("/tmp/facecrop-models-\(getpid())-\(content.count)")
    guard unsafe mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
    let path = folder.appending(model.name)
    defer {
      unsafe unlink(path.string)
      unsafe rmdir(folder.string)
    }
    var bytes = Array(content.utf8)
    if content == "one byte more" { bytes = try model.read(folder: nil).bytes + [0] }
    let file = try FileDescriptor.open(path, .writeOnly, options: .create, permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(bytes) }
    #expect {
      _ = try HaarFaceDetector(modelFolder: folder).prepare()
    } throws: { error in
      guard case .modelUnusable(path.string, let reason)? = error as? FaceCropError else { return false }
      // FIPS 180-4: the digest of no bytes.
      let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      return reason.contains(model.digest) && (!bytes.isEmpty || reason.contains(empty))
    }
  }
}
