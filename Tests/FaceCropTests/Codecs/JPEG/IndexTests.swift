import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Decoding with and without the index gives the same pixels, warnings and errors, for damaged files too.
@Suite struct IndexTests {
  private static let kinds: [(name: String, recipe: JPEGRecipe)] = [
    ("4:2:0", .baseline420), ("optimized 4:2:2", .baseline422.with { $0.optimizedHuffman = true }),
    ("restarts", .baseline420.with { $0.restartInterval = 2 }),
    ("restarts by row", .baseline444.with { $0.restartRows = 1 }),
    ("gray", .gray), ("4:1:0", .sampling410), ("YCCK", .ycckAdobe),
  ]

  private enum Outcome: Equatable {
    case pictures([PixelBuffer], [CropWarning])
    case failure(FaceCropError)
  }

  /// Decodes some regions, in an order that makes the index grow.
  private static func outcome(_ jpeg: [UInt8], _ access: JPEGSession.Access, allowsDamage: Bool) throws -> Outcome {
    var limits = Limits()
    limits.pixels = 200_000
    do {
      return try JPEGSession.with(jpeg, limits: limits, allowsDamage: allowsDamage, access: access) {
        (session) throws(FaceCropError) in
        let size = session.header.size
        let rects = [
          PixelRect(x: size.width / 2, y: 0, width: (size.width + 1) / 2, height: (size.height + 2) / 3),
          PixelRect(x: 0, y: size.height / 3, width: (size.width + 1) / 2, height: (size.height + 1) / 2),
          PixelRect(x: 0, y: 0, width: size.width, height: size.height),
        ]
        var pictures: [PixelBuffer] = []
        for rect in rects { pictures.append(try session.region(rect)) }
        return .pictures(pictures, session.warnings)
      }
    } catch let error as FaceCropError {
      return .failure(error)
    }
  }

  private static func expectSame(_ jpeg: [UInt8], _ what: String) throws {
    for allowsDamage in [false, true] {
      let indexed = try outcome(jpeg, .indexed, allowsDamage: allowsDamage)
      let sequential = try outcome(jpeg, .sequential, allowsDamage: allowsDamage)
      // Keeps the images themselves out of the message.
      let isSame = indexed == sequential
      #expect(isSame, "\(what)")
    }
  }

  @Test(arguments: kinds.map(\.name))
  func everyPrefix(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 52, height: 40, channels: recipe.channels, seed: 1))
    let start = try #require(JPEGSurgery.entropyOffset(in: jpeg))
    for length in start...jpeg.count {
      try Self.expectSame(Array(jpeg.prefix(length)), "\(kind), \(length) of \(jpeg.count) bytes")
    }
  }

  @Test(arguments: kinds.map(\.name))
  func everyByte(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 40, height: 24, channels: recipe.channels, seed: 1))
    for offset in 2..<jpeg.count {
      for mask in [0xFF, 1] as [UInt8] {
        try Self.expectSame(
          JPEGSurgery.flippingByte(at: offset, mask: mask, in: jpeg), "\(kind), byte \(offset) ^ \(mask)")
      }
    }
  }

  @Test func ignoresTrailingData() throws {
    for (name, recipe) in Self.kinds {
      let jpeg = try recipe.encode(.testPattern(width: 40, height: 24, channels: recipe.channels, seed: 1))
      try Self.expectSame(JPEGSurgery.appending(trailer: jpeg, to: jpeg), "\(name), twice")
      try Self.expectSame(JPEGSurgery.removingEOI(jpeg), "\(name), without end")
      try Self.expectSame(JPEGSurgery.removingEOI(jpeg) + [0xFF, 0xFF, 0xFF, 0xD9], "\(name), fill bytes")
      try Self.expectSame(JPEGSurgery.removingEOI(jpeg) + [0, 1, 2, 0xFF, 0xD9], "\(name), bytes left over")
    }
  }

  /// The overview from the index fails where libjpeg's does, with the same error, such as a missing or wrong table.
  @Test(arguments: ["4:2:0", "gray"])
  func everyByteOfTheHeaderOfALargePicture(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 16, height: 3_700, channels: recipe.channels, seed: 8))
    func look(_ jpeg: [UInt8], _ access: JPEGSession.Access) throws -> Outcome {
      var limits = Limits()
      limits.pixels = 200_000
      do {
        return try JPEGSession.with(jpeg, limits: limits, access: access) { (session) throws(FaceCropError) in
          .pictures([try session.overview()], session.warnings)
        }
      } catch let error as FaceCropError {
        return .failure(error)
      }
    }
    func expectSame(_ jpeg: [UInt8], _ what: String) throws {
      let isSame = try look(jpeg, .fastest) == look(jpeg, .sequential)
      #expect(isSame, "\(what)")
    }
    let end = try #require(JPEGSurgery.entropyOffset(in: jpeg))
    for offset in 2..<end {
      for mask in [0xFF, 1, 0x10] as [UInt8] {
        try expectSame(JPEGSurgery.flippingByte(at: offset, mask: mask, in: jpeg), "byte \(offset) ^ \(mask)")
      }
    }
    for code in [0xDB, 0xC4] as [UInt8] {
      let lacking = JPEGSurgery.removing(code: code, from: jpeg)
      #expect(lacking.count < jpeg.count)
      try expectSame(lacking, "without segments \(code)")
    }
  }

  /// Large enough for an overview from the index.
  @Test(arguments: kinds.map(\.name))
  func overviewIsLibjpegsEighth(kind: String) throws {
    let recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 75, height: 4_000, channels: recipe.channels, seed: 8))
    func overview(_ access: JPEGSession.Access) throws -> PixelBuffer {
      try JPEGSession.with(jpeg, access: access) { (session) throws(FaceCropError) in try session.overview() }
    }
    #expect(try overview(.fastest) == overview(.sequential))
  }

  /// The walk checks the flag at every row of MCUs, and reports every eighth row.
  @Test func cancellationEndsTheWalk() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 64, height: 4_200, channels: 3, seed: 8))
    let reports = Mutex<[Int]>([])
    let cancellation = Cancellation()
    let job = Job(limits: Limits(), cancellation: cancellation) { progress in
      reports.withLock { $0.append(progress.completed) }
      cancellation.cancel()
    }
    #expect(throws: FaceCropError.cancelled) {
      try JPEGSession.with(jpeg, job: job) { (session) throws(FaceCropError) in try session.overview() }
    }
    #expect(reports.withLock { $0 } == [8])
  }

  /// A hostile header cannot make it take memory: the limit of coefficients applies to the index.
  @Test func memoryIsLimited() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 160, height: 160, channels: 3, seed: 8))
    func path(_ limit: Int) throws -> DecodePath? {
      var limits = Limits()
      limits.coefficientBytes = limit
      return try JPEGSession.with(jpeg, limits: limits, access: .indexed) { (session) throws(FaceCropError) in
        _ = try session.region(PixelRect(x: 0, y: 0, width: 160, height: 160))
        return session.lastPath
      }
    }
    // 10 × 10 MCUs of 6 blocks: 4 bytes for each MCU and 2 for each block.
    #expect(try path(1_600) == .index)
    #expect(try path(1_599) == .sequential)
  }
}
