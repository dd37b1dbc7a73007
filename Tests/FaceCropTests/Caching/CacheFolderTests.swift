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
      let status = unsafe mount("tmpfs", folder.path, "tmpfs", 0, "size=\(bytes)")
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
