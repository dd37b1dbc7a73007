import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

struct CachingImageManagerTests {
  private static let size = PixelSize(width: 100, height: 75)

  private static func asset(_ number: Int) throws -> ImageAsset {
    .bytes(try ImageManagerTests.jpeg(320, 240), id: ImageAsset.ID(rawValue: "\(number)"))
  }

  @Test func repeatedRequestsHitTheCache() async throws {
    let manager = CachingImageManager(manager: ImageManagerTests.manager())
    let asset = try Self.asset(1)
    let first = try await manager.image(for: asset, targetSize: Self.size)
    // Options that do not change the image do not matter.
    let options = ImageManagerTests.options {
      $0.priority = .high
      $0.deadline = .seconds(9)
      $0.deliveryMode = .highQuality
    }
    #expect(try await manager.image(for: asset, targetSize: Self.size, options: options) == first)
    #expect(manager.manager.statistics.decodes == 1 && manager.statistics.memoryHits == 1)
    // A cached image is the only response.
    var pictures: [ImageResponse] = []
    for try await picture in manager.images(for: asset, targetSize: Self.size) { pictures.append(picture) }
    #expect(pictures == [first])
    _ = try await manager.image(for: asset, targetSize: PixelSize(width: 50, height: 50))
    #expect(manager.manager.statistics.decodes == 2)
  }

  /// A warning belongs to the image and the request, so it is there again.
  @Test func responsesWithWarningsAreOnDisk() async throws {
    try await TemporaryFolder.with { folder in
      let face = Face(box: NormalizedRect(x: 0.02, y: 0.02, width: 0.9, height: 0.9), score: 0.9)
      let twin = Face(box: NormalizedRect(x: 0.05, y: 0.05, width: 0.9, height: 0.9), score: 0.9)
      let options = ImageManagerTests.options {
        $0.crop = .faces(framing: .avatar)
        $0.deliveryMode = .highQuality
      }
      var responses: [ImageResponse] = []
      for _ in 0..<2 {
        let manager = CachingImageManager(
          manager: ImageManagerTests.manager(StubDetector(found: [face, twin])),
          disk: try DiskCache(folder: FilePath(folder.path)))
        responses.append(try await manager.image(for: Self.asset(1), targetSize: Self.size, options: options))
        #expect(manager.statistics.diskHits == responses.count - 1)
      }
      #expect(responses[0] == responses[1] && !responses[0].warnings.isEmpty)
    }
  }

  @Test func cancelledTasksGetNoCachedImage() async throws {
    let manager = CachingImageManager(manager: ImageManagerTests.manager())
    let asset = try Self.asset(1)
    _ = try await manager.image(for: asset, targetSize: Self.size)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await manager.image(for: asset, targetSize: Self.size)
    }
    task.cancel()
    await #expect(throws: ImageRequestError.image(.cancelled)) { try await task.value }
  }

  @Test func memoryStaysWithinItsBudget() async throws {
    let bytes = Self.size.width * Self.size.height * 3
    let manager = CachingImageManager(manager: ImageManagerTests.manager(), memoryBudget: bytes * 3)
    for number in [1, 2, 3, 1, 4, 1, 2] {
      _ = try await manager.image(for: Self.asset(number), targetSize: Self.size)
    }
    // 1 was used repeatedly; 2 was evicted for 4.
    #expect(manager.statistics.images == 3 && manager.statistics.bytes == bytes * 3)
    #expect(manager.statistics.memoryHits == 2)
    #expect(manager.manager.statistics.decodes == 5)
  }

  @Test func aChangedFileIsAnother() async throws {
    try await TemporaryFolder.with { folder in
      let manager = CachingImageManager(manager: ImageManagerTests.manager())
      let path = try folder.write(ImageManagerTests.jpeg(320, 240), to: "a.jpg")
      let asset = ImageAsset.file(FilePath(path))
      #expect(try await manager.image(for: asset).image.size.width == 320)
      try folder.write(ImageManagerTests.jpeg(200, 240), to: "a.jpg")
      #expect(try await manager.image(for: asset).image.size.width == 200)
      folder.remove()
      await #expect(throws: ImageRequestError.notFound(path)) { try await manager.image(for: asset) }
    }
  }

  /// Another file may have the number, the size and the time of the first one, also as restored by a copying program.
  @Test func aChangedFileOfTheSameTimeIsAnother() async throws {
    try await TemporaryFolder.with { folder in
      let manager = CachingImageManager(
        manager: ImageManagerTests.manager(StubDetector(found: [ImageManagerTests.face])))
      let options = ImageManagerTests.options {
        $0.crop = .faces(framing: .avatar)
        $0.deliveryMode = .highQuality
      }
      var before = stat()
      for (round, width) in [320, 200].enumerated() {
        let jpeg = try ImageManagerTests.jpeg(width, 240)
        let path = try folder.write(jpeg + [UInt8](repeating: 0, count: 100_000 - jpeg.count), to: "a.jpg")
        if round == 0 { #expect(unsafe stat(path, &before) == 0) }
        let times = [before.st_mtim, before.st_mtim]
        #expect(unsafe utimensat(AT_FDCWD, path, times, 0) == 0)
        var now = stat()
        #expect(unsafe stat(path, &now) == 0)
        #expect(
          now.st_ino == before.st_ino && now.st_size == before.st_size && now.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
        let response = try await manager.image(for: .file(FilePath(path)), targetSize: Self.size, options: options)
        #expect(response.sourceSize.width == width)
        #expect(manager.manager.statistics.detections == round + 1)
        // The clock of the file system has steps of up to 10 ms.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  @Test func startStopAndStopAll() async throws {
    let manager = CachingImageManager(manager: ImageManagerTests.manager())
    let assets = try (0..<12).map(Self.asset)
    manager.startCaching(assets, targetSize: Self.size)
    manager.startCaching(assets, targetSize: Self.size)
    try await eventually { manager.statistics.preparing == 0 }
    #expect(manager.statistics.images == 12 && manager.manager.statistics.decodes == 12)
    // Preparing again requests nothing that is ready.
    manager.startCaching(assets, targetSize: Self.size)
    try await eventually { manager.statistics.preparing == 0 }
    #expect(manager.statistics.memoryHits == 0 && manager.manager.statistics.decodes == 12)
    _ = try await manager.image(for: assets[5], targetSize: Self.size)
    #expect(manager.statistics.memoryHits == 1)
    manager.stopCaching(Array(assets[..<4]), targetSize: Self.size)
    #expect(manager.statistics.images == 8)
    manager.startCaching(try (100..<400).map(Self.asset), targetSize: Self.size)
    manager.stopCachingForAllAssets()
    #expect(manager.statistics.images == 0 && manager.statistics.preparing == 0)
    try await eventually { manager.manager.statistics.running == 0 && manager.manager.runningWork == 0 }
    #expect(manager.manager.statistics.decodes < 300)
  }

  // MARK: Disk

  @Test func picturesSurviveTheProcess() async throws {
    try await TemporaryFolder.with { folder in
      let face = StubDetector(found: [ImageManagerTests.face])
      let options = ImageManagerTests.options { $0.crop = .faces(framing: .avatar) }
      func answer(_ asset: ImageAsset) async throws -> (ImageResponse, ImageManager.Statistics, Int) {
        let disk = try DiskCache(folder: FilePath(folder / "a/b"))
        let manager = CachingImageManager(manager: ImageManagerTests.manager(face), disk: disk)
        let answer = try await manager.image(for: asset, targetSize: Self.size, options: options)
        return (answer, manager.manager.statistics, manager.statistics.diskHits)
      }
      let jpeg = try ImageManagerTests.jpeg()
      let (first, _, _) = try await answer(.bytes(jpeg))
      let (second, statistics, hits) = try await answer(.bytes(jpeg))
      #expect(second == first && second.faces.count == 1)
      #expect(hits == 1 && statistics.decodes == 0)
      // Identified by its bytes, not by its path.
      let path = try folder.write(jpeg, to: "copy.jpg")
      let (third, others, _) = try await answer(.file(FilePath(path)))
      #expect(third == first && others.decodes == 0)
    }
  }

  /// Another detector may find less, or need a larger image.
  @Test func anotherDetectorLooksItself() async throws {
    struct Other: TestDetector {
      var name: String { "other" }
      func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] { [] }
    }
    try await TemporaryFolder.with { folder in
      let disk = try DiskCache(folder: FilePath(folder.path))
      let asset = try Self.asset(1)
      let options = ImageManagerTests.options { $0.crop = .faces(framing: .avatar) }
      for detector in [StubDetector(found: [ImageManagerTests.face]), Other()] as [any FaceDetector] {
        let manager = CachingImageManager(manager: ImageManagerTests.manager(detector), disk: disk)
        let answer = try? await manager.image(for: asset, targetSize: Self.size, options: options)
        #expect(answer?.faces.isEmpty != (detector.name == "stub"))
        #expect(manager.statistics.diskHits == 0 && manager.manager.statistics.detections == 1)
      }
    }
  }

  @Test func damagedFilesAreMadeAnew() async throws {
    try await TemporaryFolder.with { folder in
      let disk = try DiskCache(folder: FilePath(folder.path))
      let asset = try Self.asset(1)
      let manager = { CachingImageManager(manager: ImageManagerTests.manager(), disk: disk) }
      let first = try await manager().image(for: asset, targetSize: Self.size)
      let name = try #require(try folder.names().first { $0.hasSuffix(".picture") })
      let bytes = try folder.bytes(name)
      var generator = SplitMix64(seed: 8)
      for _ in 0..<40 {
        var damaged = bytes
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: damaged.removeLast(Int.random(in: 1...damaged.count, using: &generator))
        case 1:
          damaged[Int.random(in: damaged.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        default: damaged += [0]
        }
        try folder.write(damaged, to: name)
        let again = manager()
        #expect(try await again.image(for: asset, targetSize: Self.size) == first)
        #expect(again.statistics.diskHits == 0)
        #expect(try folder.bytes(name) == bytes)
      }
    }
  }

  @Test func diskStaysWithinItsBudget() async throws {
    try await TemporaryFolder.with { folder in
      let budget = 12 * (Self.size.width * Self.size.height * 3 + 600)
      let disk = try DiskCache(folder: FilePath(folder.path), budget: budget)
      let other = try DiskCache(folder: FilePath(folder.path), budget: budget)
      for number in 0..<40 {
        let pixels = Pixels.testPattern(width: 320, height: 240 + number)
        let asset = ImageAsset.bytes(try JPEGRecipe.baseline420.encode(pixels))
        let manager = CachingImageManager(
          manager: ImageManagerTests.manager(), disk: number.isMultiple(of: 2) ? disk : other)
        _ = try await manager.image(for: asset, targetSize: Self.size)
      }
      #expect(disk.size <= budget + budget / 8)
      #expect(disk.size >= budget / 2)
      #expect(try folder.names().allSatisfy { $0.hasSuffix(".picture") || $0 == ".facecrop-cache" })
    }
  }

  // MARK: Files of others

  /// Names of cache entries, and similar names.
  private static let hash = String(repeating: "0123456789abcdef", count: 4)
  private static let others = [
    "thesis.txt", ".bashrc", ".\(hash)", ".\(hash)-1", ".\(hash)-1-x", ".\(hash)-1-2-3", "\(hash).picture~", "\(hash)",
    ".\(hash).picture", "\(hash.uppercased()).picture", "\(hash.dropFirst()).picture", "a\(hash).picture", "-1-2",
  ]

  private static func age(_ name: String, in folder: TemporaryFolder, seconds: Int) throws {
    let times = [timespec(tv_sec: time(nil) - seconds, tv_nsec: 0), timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)]
    guard unsafe utimensat(AT_FDCWD, folder / name, times, 0) == 0 else { throw Errno(rawValue: errno) }
  }

  /// Stores enough images that the folder is scanned repeatedly.
  private static func fill(_ disk: DiskCache, _ count: Int) async throws {
    for number in 0..<count {
      let pixels = Pixels.testPattern(width: 320, height: 240 + number)
      let manager = CachingImageManager(manager: ImageManagerTests.manager(), disk: disk)
      _ = try await manager.image(for: .bytes(try JPEGRecipe.baseline420.encode(pixels)), targetSize: size)
    }
  }

  @Test func othersFilesInTheFolderStay() async throws {
    try await TemporaryFolder.with { folder in
      let disk = try DiskCache(folder: FilePath(folder.path), budget: 60_000)
      let large = [UInt8](repeating: 7, count: 100_000)
      for name in Self.others {
        try folder.write(large, to: name)
        try Self.age(name, in: folder, seconds: 100_000)
      }
      // Files of a killed process, and of one that is still writing.
      let (left, running) = (".\(Self.hash)-12-345", ".\(Self.hash)-13-345")
      for name in [left, running] { try folder.write(large, to: name) }
      try Self.age(left, in: folder, seconds: 7_200)
      try await Self.fill(disk, 8)
      for name in Self.others { #expect(try folder.bytes(name) == large, "\(name)") }
      #expect(!folder.has(left) && folder.has(running))
      #expect((1...64_000).contains(disk.size))
    }
  }

  /// A pipe does not block, and a link is not followed, so its target keeps its time.
  @Test func ignoresPipesAndLinks() async throws {
    try await TemporaryFolder.with { folder in
      try folder.write("precious", to: "target")
      try Self.age("target", in: folder, seconds: 1_000)
      let cache = try CacheFolder(folder: FilePath(folder / "cache"), ending: "answer", budget: 1 << 20)
      let names = ["a", "b", "c"].map { String(repeating: $0, count: 64) }
      var status = unsafe mkfifo(folder / "cache/\(names[0]).answer", 0o600)
      #expect(status == 0)
      status = unsafe symlink(folder / "target", folder / "cache/\(names[1]).answer")
      #expect(status == 0)
      status = unsafe mkdir(folder / "cache/\(names[2]).answer", 0o700)
      #expect(status == 0)
      let start = ContinuousClock.now
      for name in names { #expect(await cache.bytes(named: name) == nil) }
      // A read from the pipe would end after the limit of time.
      #expect(start.duration(to: .now) < Limits().time / 2)
      var target = stat()
      status = unsafe stat(folder / "target", &target)
      #expect(status == 0 && target.st_mtim.tv_sec < time(nil) - 900)
      // Entries replace the pipe and the link.
      for name in names[..<2] {
        await cache.store([1, 2, 3], named: name)
        #expect(await cache.bytes(named: name) == [1, 2, 3])
      }
      #expect(try folder.text("target") == "precious")
    }
  }

  /// Small files take a block each.
  @Test func filesCountWithTheirBlocks() async throws {
    try await TemporaryFolder.with { folder in
      let budget = 64 << 10
      let cache = try CacheFolder(folder: FilePath(folder.path), ending: "answer", budget: budget)
      for number in 0..<100 {
        let digits = String(number, radix: 16)
        await cache.store([7], named: String(repeating: "0", count: 64 - digits.count) + digits)
      }
      let count = try folder.names().count { $0.hasSuffix(".answer") }
      #expect((8...17).contains(count))
      #expect(cache.size >= count * 4_096)
    }
  }

  /// A folder with other files is refused.
  @Test(arguments: others) func aFolderWithOtherFilesIsRefused(name: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write("precious", to: name)
      #expect(throws: Errno.directoryNotEmpty) { _ = try DiskCache(folder: FilePath(folder.path)) }
      #expect(try folder.names() == [name])
    }
  }

  /// A marked folder belongs to the cache with any content. So does a folder with only images, as from older caches.
  @Test func aMarkedFolderIsTaken() throws {
    try TemporaryFolder.with { folder in
      _ = try DiskCache(folder: FilePath(folder / "new/cache"))
      try folder.write("later", to: "new/cache/notes.txt")
      _ = try DiskCache(folder: FilePath(folder / "new/cache"))
      _ = try DiskCache(folder: FilePath(folder / "old"))
      unsafe unlink(folder / "old/.facecrop-cache")
      try folder.write("x", to: "old/\(Self.hash).picture")
      try folder.write("x", to: "old/.\(Self.hash)-1-2")
      _ = try DiskCache(folder: FilePath(folder / "old"))
      #expect(folder.has("old/.facecrop-cache"))
      #expect(throws: Errno.directoryNotEmpty) { _ = try DiskCache(folder: FilePath(folder.path)) }
    }
  }

  @Test func thoseThatWereNotUsedForLongestGoFirst() async throws {
    try await TemporaryFolder.with { folder in
      let disk = try DiskCache(folder: FilePath(folder.path), budget: 50_000)
      let names = (0..<10).map { String(repeating: "\($0)", count: 64) + ".picture" }
      for (index, name) in names.enumerated() {
        try folder.write([UInt8](repeating: 0, count: 10_000), to: name)
        // Not in the order of their names.
        try Self.age(name, in: folder, seconds: 1_000 + index * 7 % 10)
      }
      // The first image causes a scan, and evicts more than two files.
      try await Self.fill(disk, 1)
      let kept = names.indices.filter { folder.has(names[$0]) }
      let youngest = names.indices.sorted { $0 * 7 % 10 < $1 * 7 % 10 }.prefix(kept.count)
      #expect((1...4).contains(kept.count))
      #expect(kept == youngest.sorted())
      #expect(try folder.names().count { $0.hasSuffix(".picture") } == kept.count + 1)
    }
  }
}

struct LeastRecentlyUsedTests {
  /// The result equals that of a sorted list.
  @Test func agreesWithAPlainList() {
    var generator = SplitMix64(seed: 1)
    var cache = LeastRecentlyUsed<Int, Int>(budget: 50)
    var list: [(key: Int, value: Int, cost: Int)] = []
    for step in 0..<20_000 {
      let key = Int.random(in: 0..<30, using: &generator)
      let place = list.firstIndex { $0.key == key }
      switch Int.random(in: 0..<5, using: &generator) {
      case 0, 1:
        #expect(cache.value(for: key) == place.map { list[$0].value })
        if let place { list.append(list.remove(at: place)) }
      case 2, 3:
        let cost = Int.random(in: 0...60, using: &generator)
        cache.insert(step, for: key, cost: cost)
        if let place { list.remove(at: place) }
        if cost <= 50 { list.append((key, step, cost)) }
        while list.reduce(0, { $0 + $1.cost }) > 50 { list.removeFirst() }
      default:
        cache.remove(key)
        if let place { list.remove(at: place) }
      }
      #expect(cache.count == list.count && cache.cost == list.reduce(0) { $0 + $1.cost })
    }
  }
}
