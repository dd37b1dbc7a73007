import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

struct PhotoLibraryTests {
  private static func photo(_ date: String?) throws -> [UInt8] {
    try JPEGRecipe.baseline420.with {
      $0.segments = [.exif(EXIFBuilder.tiff(orientation: 6, dateTimeOriginal: date))]
    }.encode(.testPattern(width: 64, height: 48))
  }

  private static func write(_ folder: TemporaryFolder) throws {
    try folder.write(photo("2020:05:01 10:00:00"), to: "old.jpg")
    try folder.write(photo("2024:02:29 23:59:59"), to: "new.bin")
    try folder.write(photo(nil), to: "undated.jpg")
    try folder.write(photo("2030:01:01 00:00:00"), to: ".hidden.jpg")
    try folder.write("not a picture", to: "notes.jpg")
    try folder.write("[]", to: "list.json")
    try FileManager.default.createDirectory(atPath: folder / "sub", withIntermediateDirectories: true)
    try folder.write(photo("2022:01:01 00:00:00"), to: "sub/inner.jpg")
    // As if it had been written in 2021.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_609_459_200)], ofItemAtPath: folder / "undated.jpg")
  }

  @Test func ordersAndChoice() async throws {
    try await TemporaryFolder.with { folder in
      try Self.write(folder)
      let library = PhotoLibrary(directory: FilePath(folder.path))
      func names(_ options: PhotoFetchOptions) async throws -> [String] {
        try await library.fetchAssets(options).map(\.name)
      }
      #expect(try await names(PhotoFetchOptions()) == ["new.bin", "undated.jpg", "old.jpg"])
      #expect(try await names(PhotoFetchOptions(sortOrder: .oldestFirst)) == ["old.jpg", "undated.jpg", "new.bin"])
      #expect(try await names(PhotoFetchOptions(sortOrder: .name)) == ["new.bin", "old.jpg", "undated.jpg"])
      #expect(try await names(PhotoFetchOptions(limit: 1)) == ["new.bin"])
      #expect(
        try await names(PhotoFetchOptions(includesHiddenFiles: true)).first == ".hidden.jpg")
      #expect(try await names(PhotoFetchOptions { $0.captureDate == nil }) == ["undated.jpg"])
      let deep = PhotoLibrary(directory: FilePath(folder.path), includesSubfolders: true)
      #expect(try await deep.fetchAssets().map(\.name) == ["new.bin", "sub/inner.jpg", "undated.jpg", "old.jpg"])
    }
  }

  @Test func propertiesOfAPhoto() async throws {
    try await TemporaryFolder.with { folder in
      try Self.write(folder)
      let library = PhotoLibrary(directory: FilePath(folder.path))
      let photo = try #require(try await library.fetchAssets().first)
      #expect(photo.format == .jpeg && photo.size == PixelSize(width: 48, height: 64) && photo.orientation == .right)
      // date -u -d '2024-02-29 23:59:59' +%s
      #expect(photo.captureDate == Date(timeIntervalSince1970: 1_709_251_199))
      #expect(photo.id == ImageAsset.ID(rawValue: "photo:new.bin"))
      // Equal in another run.
      let again = try #require(try await PhotoLibrary(directory: FilePath(folder.path)).fetchAssets().first)
      #expect(again.id == photo.id && again == photo)
      let picture = try await ImageManagerTests.manager().image(for: photo.asset)
      #expect(picture.image.size == photo.size)
    }
  }

  @Test func aNewFetchSeesChangesAndReadsNoMoreThanThese() async throws {
    try await TemporaryFolder.with { folder in
      try Self.write(folder)
      let library = PhotoLibrary(directory: FilePath(folder.path))
      let before = try await library.fetchAssets()
      #expect(before.changes(since: before).isEmpty)
      #expect(library.knownHeaders == 5)
      try folder.write(Self.photo("2026:01:01 00:00:00"), to: "old.jpg")
      try folder.write(Self.photo("2019:01:01 00:00:00"), to: "oldest.jpg")
      try FileManager.default.removeItem(atPath: folder / "new.bin")
      let after = try await library.fetchAssets()
      #expect(after.map(\.name) == ["old.jpg", "undated.jpg", "oldest.jpg"])
      let changes = after.changes(since: before)
      #expect(changes.inserted.map(\.name) == ["oldest.jpg"])
      #expect(changes.removed.map(\.name) == ["new.bin"])
      #expect(changes.changed.map(\.name) == ["old.jpg"])
      #expect(library.knownHeaders == 5)
    }
  }

  /// Thousands of large files are listed; only the headers that the order needs are read.
  @Test func thousandsAreListedLazily() async throws {
    try await TemporaryFolder.with { folder in
      let photo = try Self.photo("2020:05:01 10:00:00")
      for number in 0..<2_000 {
        let path = try folder.write(photo, to: "\(10_000 + number).jpg")
        // Large, with only holes after the header.
        let file = try FileDescriptor.open(FilePath(path), .writeOnly)
        defer { try? file.close() }
        try file.resize(to: 20_000_000)
      }
      let library = PhotoLibrary(directory: FilePath(folder.path))
      let some = try await library.fetchAssets(PhotoFetchOptions(sortOrder: .name, limit: 10))
      #expect(some.count == 10 && some.last?.name == "10009.jpg")
      #expect(library.knownHeaders == 10)
      #expect(try await library.fetchAssets().count == 2_000)
    }
  }

  @Test func errorsAreToldApart() async throws {
    try await TemporaryFolder.with { folder in
      let path = FilePath(folder / "missing")
      await #expect(throws: PhotoLibraryError.notFound(path)) {
        try await PhotoLibrary(directory: path).fetchAssets()
      }
      let file = FilePath(try folder.write("", to: "file"))
      await #expect(throws: PhotoLibraryError.notAFolder(file)) {
        try await PhotoLibrary(directory: file).fetchAssets()
      }
      #expect(PhotoLibraryError(.permissionDenied, path) == .accessDenied(path))
      guard getuid() != 0 else { return }
      try FileManager.default.createDirectory(
        atPath: folder / "closed", withIntermediateDirectories: false, attributes: [.posixPermissions: 0])
      await #expect(throws: PhotoLibraryError.accessDenied(FilePath(folder / "closed"))) {
        try await PhotoLibrary(directory: FilePath(folder / "closed")).fetchAssets()
      }
    }
  }

  @Test(arguments: [
    ("1970:01:01 00:00:00", 0.0), ("2000:02:29 12:30:15", 951_827_415), ("2100:03:01 00:00:00", 4_107_542_400),
    ("0001:01:01 00:00:00", -62_135_596_800),
  ])
  func captureTimes(text: String, seconds: Double) throws {
    let exif = try #require(EXIF(EXIFBuilder.tiff(dateTimeOriginal: text)))
    #expect(exif.captureTime == seconds)
  }

  @Test(arguments: ["", "    :  :     :  :  ", "2020:13:01 00:00:00", "2020-01-01", "9999999:01:01 00:00:00"])
  func textsThatAreNoTimes(text: String) throws {
    #expect(try #require(EXIF(EXIFBuilder.tiff(dateTimeOriginal: text))).captureTime == nil)
  }
}
