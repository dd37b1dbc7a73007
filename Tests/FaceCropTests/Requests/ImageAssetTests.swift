import FaceCrop
import Foundation
import SystemPackage
import Testing

/// Assets from different sources, and their identity.
@Suite struct ImageAssetTests {
  @Test func waysToNameAFile() throws {
    let asset = ImageAsset.file(FilePath("/pictures/a.jpg"))
    let name = ["/pictures", "a.jpg"].joined(separator: "/")
    #expect(ImageAsset.file(name) == asset)
    #expect(try ImageAsset.url(URL(filePath: name)) == asset)
    #expect(ImageAsset.file(name, id: .init(rawValue: "1")).id.rawValue == "1")
  }

  @Test func waysToGiveBytes() {
    #expect(ImageAsset.data(Data([1, 2, 3])) == .bytes([1, 2, 3]))
    #expect(ImageAsset.data(Data([1, 2, 3])) != .bytes([1, 2]))
  }

  @Test func anAddressElsewhereIsNoFile() throws {
    let address = try #require(URL(string: "https://example.org/a.jpg"))
    expectFault("invalid", naming: "'https'") { try ImageAsset.url(address) }
  }

  @Test func foldersByName() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "facecrop-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try DiskCache(folder: folder).folder == FilePath(folder))
    #expect(PhotoLibrary(directory: folder).directory == FilePath(folder))
  }

  @Test func errorsAreSentences() {
    let error: any Error = FaceCropError.corrupt("no pixels")
    #expect(error.localizedDescription == "The image is damaged: no pixels.")
    #expect(FaceCropError.cancelled.localizedDescription == "The request was cancelled.")
  }
}
