import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// Requests for pages of one TIFF file. No cache gives one page for another.
@Suite struct PageRequestTests {
  private static let levels: [UInt8] = [10, 20, 200]
  private static let file = TIFFBuilder.pages(levels.map { ($0, nil) })

  private struct Loader: AssetLoader {
    func load(
      _ id: ImageAsset.ID, atMost limit: Int, progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> [UInt8] { PageRequestTests.file }
  }

  private static func manager() -> ImageManager {
    var configuration = ImageManager.Configuration()
    (configuration.detector, configuration.loader) = (StubDetector(), Loader())
    return ImageManager(configuration: configuration)
  }

  /// Calls `body` with an asset of each kind.
  private static func withAssets(_ body: (ImageAsset) async throws -> Void) async throws {
    try await TemporaryFolder.with { folder in
      let path = folder / "scan.tif"
      try folder.write(file, to: "scan.tif")
      for asset in [.bytes(file), .file(path), .remote(ImageAsset.ID(rawValue: "a"))] as [ImageAsset] {
        try await body(asset)
      }
    }
  }

  private static func level(
    _ asset: ImageAsset, _ page: Int?, of manager: some ImageRequesting, _ crop: ImageCrop = .none
  ) async throws -> UInt8 {
    var options = ImageRequestOptions()
    (options.crop, options.isNetworkAccessAllowed) = (crop, true)
    return try await manager.image(for: with(asset) { $0.page = page }, options: options).image.base.bytes[0]
  }

  @Test func pagesAreOfTheirOwn() async throws {
    try await Self.withAssets { asset in
      let other = with(asset) { $0.page = 2 }
      #expect(asset != other && asset.id == other.id && Set([asset, other, other]).count == 2)
    }
  }

  /// Equal requests at once share their work, and those for other pages do not.
  @Test func requestsGetTheirPages() async throws {
    try await Self.withAssets { asset in
      let manager = Self.manager()
      for crop in [.none, .faces(CropRequest())] as [ImageCrop] {
        try await withThrowingTaskGroup(of: Bool.self) { group in
          for page in Array(repeating: [nil, 1, 2, 3], count: 4).joined() {
            group.addTask { try await Self.level(asset, page, of: manager, crop) == Self.levels[(page ?? 1) - 1] }
          }
          for try await isRight in group { #expect(isRight) }
        }
      }
      await #expect(throws: ImageRequestError.self) { try await Self.level(asset, 4, of: manager) }
    }
  }

  /// Responses in memory and on the disk belong to their page, also for another process.
  @Test func cachesKeepPagesApart() async throws {
    try await Self.withAssets { asset in
      try await TemporaryFolder.with { folder in
        for pass in 0..<3 {
          let disk = try DiskCache(folder: folder / "cache")
          let manager = CachingImageManager(manager: Self.manager(), disk: disk)
          for page in [nil, 1, 2, 3, 2, 3] {
            let level = try await Self.level(asset, page, of: manager)
            #expect(level == Self.levels[(page ?? 1) - 1], "\(asset.id), \(String(describing: page))")
          }
          #expect(manager.statistics.diskHits == (pass == 0 ? 0 : 4) && manager.statistics.memoryHits == 2)
        }
      }
    }
  }

  /// Only the named page is dropped.
  @Test func stoppingDropsAPage() async throws {
    let manager = CachingImageManager(manager: Self.manager())
    for page in 1...3 { _ = try await Self.level(.bytes(Self.file), page, of: manager) }
    #expect(manager.statistics.images == 3)
    var options = ImageRequestOptions()
    options.isNetworkAccessAllowed = true
    manager.stopCaching([with(ImageAsset.bytes(Self.file)) { $0.page = 2 }], options: options)
    #expect(manager.statistics.images == 2)
    #expect(try await Self.level(.bytes(Self.file), 2, of: manager) == 20)
  }

  /// Searches for faces to hide, checks and headers are those of the page.
  @Test func otherRequestsGetTheirPages() async throws {
    let manager = Self.manager()
    for (page, level) in zip(1...3, Self.levels) {
      let asset = with(ImageAsset.bytes(Self.file)) { $0.page = page }
      let options = with(ImageRequestOptions()) { $0.encoding = ImageEncoding(.png) }
      let hidden = try await manager.blurredImage(for: asset, options: options)
      #expect(try referenceDecodePNG(hidden.bytes).samples[0] == level)
      #expect(try await manager.info(of: asset).pageCount == 3)
    }
    let missing = with(ImageAsset.bytes(Self.file)) { $0.page = 4 }
    await #expect(throws: ImageRequestError.self) { try await manager.info(of: missing) }
    await #expect(throws: ImageRequestError.self) { try await manager.blurredImage(for: missing) }
    await #expect(throws: ImageRequestError.self) { try await manager.check(missing) }
  }
}
