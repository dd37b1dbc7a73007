import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// Whether this process may mount a disk, as root may outside of containers.
private let canMount =
  (try? TemporaryFolder.with { folder in
    guard unsafe mount("tmpfs", folder.path, "tmpfs", 0, "size=4096") == 0 else { return false }
    return unsafe umount(folder.path) == 0
  }) ?? false

@Suite struct CacheFolderTests {
  private static func name(_ number: Int) -> String { ContentHash(of: [UInt8(number)]).hexadecimal }

  /// Runs `body` with a folder on a separate file system of `bytes` bytes.
  private static func withDisk(_ bytes: Int, _ body: (TemporaryFolder) async throws -> Void) async throws {
    try await TemporaryFolder.with { folder in
      let status = unsafe mount("tmpfs", folder.path, "tmpfs", 0, "size=\(bytes),mode=700")
      try #require(status == 0, "\(Errno(rawValue: errno))")
      defer { _ = unsafe umount2(folder.path, CInt(MNT_DETACH)) }
      try await body(folder)
    }
  }

  /// The cache keeps the newest files that fit on the disk.
  @Test(.enabled(if: canMount)) func aFullDiskMakesRoom() async throws {
    try await Self.withDisk(256 << 10) { folder in
      let cache = try CacheFolder(folder: FilePath(folder.path), ending: "answer", budget: 1 << 30)
      let bytes = [UInt8](repeating: 1, count: 20_000)
      for number in 0..<100 {
        #expect(await cache.store(bytes, named: Self.name(number)) == nil)
        #expect(await cache.bytes(named: Self.name(number)) == bytes)
      }
      #expect(cache.statistics == CacheFolder.Statistics(hits: 100, misses: 0, faults: 0))
    }
  }

  /// A disk that others fill causes an error each time, but existing files can be read.
  @Test(.enabled(if: canMount)) func whatCannotBeKeptIsCounted() async throws {
    try await Self.withDisk(256 << 10) { folder in
      let cache = try CacheFolder(folder: FilePath(folder.path), ending: "answer", budget: 1 << 30)
      #expect(await cache.store([1, 2, 3], named: Self.name(1)) == nil)
      #expect(unsafe mount(nil, folder.path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
      for name in [folder.path, folder / "new"] {
        #expect(throws: Errno.readOnlyFileSystem) { try CacheFolder.check(FilePath(name), ending: "answer") }
      }
      #expect(await cache.store([1, 2, 3], named: Self.name(2)) == .readOnlyFileSystem)
      #expect(await cache.bytes(named: Self.name(1)) == [1, 2, 3])
      #expect(await cache.bytes(named: Self.name(2)) == nil)
      #expect(cache.statistics == CacheFolder.Statistics(hits: 1, misses: 1, faults: 1))
    }
  }

  /// A check finds what opening would, and creates nothing.
  @Test func checksCreateNothing() throws {
    try TemporaryFolder.with { folder in
      func check(_ name: String) throws { try CacheFolder.check(FilePath(folder / name), ending: "answer") }
      try check("new")
      try check("new/below/../cache")
      try check(".")
      try CacheFolder.check("new-below-the-working-folder/cache", ending: "answer")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      try folder.write("", to: "file")
      #expect(throws: Errno.notDirectory) { try check("file") }
      #expect(throws: Errno.notDirectory) { try check("file/cache") }
      #expect(throws: Errno.directoryNotEmpty) { try check(".") }
      _ = try CacheFolder(folder: FilePath(folder / "cache"), ending: "answer", budget: 1)
      try folder.write("", to: "cache/file")
      try check("cache")
      try FileManager.default.createSymbolicLink(atPath: folder / "link", withDestinationPath: folder / "cache")
      try check("link")
      try FileManager.default.createSymbolicLink(atPath: folder / "nowhere", withDestinationPath: folder / "none")
      #expect(throws: Errno.noSuchFileOrDirectory) { try check("nowhere") }
      guard getuid() != 0 else { return }
      try FileManager.default.createDirectory(
        atPath: folder / "closed", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
      #expect(throws: Errno.permissionDenied) { try check("closed") }
      #expect(throws: Errno.permissionDenied) { try check("closed/new") }
    }
  }

  private static func mode(_ path: String) -> mode_t {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  /// A cached crop shows an image that its user may have closed to others.
  @Test func othersCanReadNothing() async throws {
    try await TemporaryFolder.with { folder in
      let cache = try CacheFolder(folder: FilePath(folder / "a/cache"), ending: "answer", budget: 1 << 20)
      #expect(await cache.store([1], named: Self.name(1)) == nil)
      #expect(Self.mode(folder / "a/cache") == 0o700)
      for name in [".facecrop-cache", "\(Self.name(1)).answer"] {
        #expect(Self.mode(folder / "a/cache/\(name)") == 0o600)
      }
      // The folder of an older version is closed.
      #expect(unsafe chmod(folder / "a/cache", 0o755) == 0)
      let again = try CacheFolder(folder: FilePath(folder / "a/cache"), ending: "answer", budget: 1 << 20)
      #expect(await again.bytes(named: Self.name(1)) == [1])
      #expect(Self.mode(folder / "a/cache") == 0o700)
    }
  }

  /// Others could plant responses in such a folder.
  @Test(arguments: [mode_t(0o777), 0o1777, 0o775, 0o757, 0o2770]) func openFoldersAreRefused(mode: mode_t) throws {
    try TemporaryFolder.with { folder in
      let path = folder / "cache"
      for isMarked in [false, true] {
        if isMarked {
          #expect(unsafe chmod(path, 0o700) == 0)
          _ = try CacheFolder(folder: path, ending: "answer", budget: 1)
        } else {
          #expect(unsafe mkdir(path, 0o700) == 0)
        }
        #expect(unsafe chmod(path, mode) == 0)
        #expect(throws: Errno.notPermitted) { try CacheFolder(folder: path, ending: "answer", budget: 1) }
        #expect(throws: Errno.notPermitted) { try CacheFolder.check(FilePath(path), ending: "answer") }
        #expect(Self.mode(path) == mode)
      }
    }
  }

  /// Root may check the folder of the user that a server will have, but not use it.
  @Test(.enabled(if: getuid() == 0)) func foldersAndFilesOfOthersAreRefused() async throws {
    try await TemporaryFolder.with { folder in
      let path = folder / "cache"
      let cache = try CacheFolder(folder: path, ending: "answer", budget: 1 << 20)
      #expect(await cache.store([1], named: Self.name(1)) == nil)
      let file = "\(path)/\(Self.name(1)).answer"
      #expect(unsafe chown(file, 65_534, 65_534) == 0)
      #expect(await cache.bytes(named: Self.name(1)) == nil)
      #expect(await cache.store([2], named: Self.name(1)) == nil)
      #expect(await cache.bytes(named: Self.name(1)) == [2])
      #expect(unsafe chown(path, 65_534, 65_534) == 0)
      #expect(throws: Errno.notPermitted) { try CacheFolder(folder: path, ending: "answer", budget: 1) }
      try CacheFolder.check(FilePath(path), ending: "answer")
      // A link of another user leads to it as well.
      #expect(unsafe symlink(path, folder / "link") == 0)
      #expect(throws: Errno.notPermitted) { try CacheFolder(folder: folder / "link", ending: "answer", budget: 1) }
    }
  }

  /// Another folder that gets the name of the cache's has no part in it.
  @Test func theFolderStaysTheSame() async throws {
    try await TemporaryFolder.with { folder in
      let cache = try CacheFolder(folder: folder / "cache", ending: "answer", budget: 1 << 20)
      #expect(await cache.store([1], named: Self.name(1)) == nil)
      #expect(unsafe rename(folder / "cache", folder / "moved") == 0)
      #expect(unsafe mkdir(folder / "cache", 0o777) == 0)
      try folder.write([9], to: "cache/\(Self.name(1)).answer")
      #expect(await cache.bytes(named: Self.name(1)) == [1])
      #expect(await cache.store([2], named: Self.name(2)) == nil)
      #expect(cache.size == 8_192 && folder.has("moved/\(Self.name(2)).answer"))
      await cache.remove(named: Self.name(1))
      #expect(try folder.bytes("cache/\(Self.name(1)).answer") == [9])
    }
  }

  @Test func anotherNameIsRefused() async throws {
    try await TemporaryFolder.with { folder in
      let cache = try CacheFolder(folder: FilePath(folder.path), ending: "answer", budget: 1 << 20)
      for name in ["short", Self.name(1).uppercased() + "A", "../" + Self.name(1).dropFirst(3)] {
        #expect(await cache.store([1], named: name) == .invalidArgument)
      }
      #expect(await cache.store([1], named: Self.name(1)) == nil)
    }
  }
}
