import TestSupport
import Testing

@testable import FaceCrop

/// Bounds for reading an XMP packet.
@Suite struct XMLTests {
  private static func isWhole(_ packet: [UInt8]) -> Bool { CreditSources(xmp: packet).read().isWhole }

  /// Expat stores a namespace's name again for each attribute in it.
  @Test func namespacesHaveShortNames() {
    #expect(Self.isWhole(HostileXMP.attributes(10, namespace: 512)))
    #expect(Self.isWhole(HostileXMP.elements(10, namespace: 512)))
    #expect(!Self.isWhole(HostileXMP.attributes(10, namespace: 513)))
    #expect(!Self.isWhole(HostileXMP.elements(10, namespace: 513)))
  }

  /// 16 bytes for each byte of the packet, and 256 KiB.
  @Test func memoryIsBounded() {
    #expect(Self.isWhole(HostileXMP.attributes(500, namespace: 50)))
    // 2.5 MB of names in 35 KB.
    #expect(!Self.isWhole(HostileXMP.attributes(5_000, namespace: 500)))
    #expect(XMLMemory.bytes(0) == 0)
    #expect(XMLMemory.bytes(1_000) == 20 * 1_000 + 256 << 10)
  }

  /// A handler that cancels the job at the first part of a document.
  private final class Canceller: XMLHandler {
    let job = Job.forTests()
    var parts = 0

    func begin(_ element: String, _ attributes: XMLAttributes) { note() }
    func end() { note() }
    func take(_ text: UnsafeBufferPointer<UInt8>) { note() }

    private func note() {
      parts += 1
      job.cancellation.cancel()
    }
  }

  @Test func eachPartIsAStep() {
    let canceller = Canceller()
    #expect(throws: FaceCropError.cancelled) {
      try canceller.read(HostileXMP.elements(1_000, namespace: 10), canceller.job)
    }
    #expect(canceller.parts == 1)
    let source = CreditSources(xmp: HostileXMP.elements(10, namespace: 10))
    #expect(throws: FaceCropError.cancelled) { try source.read(canceller.job) }
  }

  /// The estimate of `info` includes credits, although `info` returns them too.
  @Test func creditsCountInTheMemory() throws {
    func memory(_ packet: [UInt8]) throws -> Int {
      var png = PNGBuilder(width: 8, height: 8)
      if !packet.isEmpty { png.before = [try PNGBuilder.xmp(packet)] }
      let file = png.encoded()
      return try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests()).memory
    }
    let packet = HostileXMP.attributes(5_000, namespace: 500)
    #expect(try memory(packet) - memory([]) >= XMLMemory.bytes(packet.count))
  }

  @Test func creditsAreReadByTheJob() throws {
    var png = PNGBuilder(width: 8, height: 8)
    png.before = [try PNGBuilder.xmp(CreditBuilder.packet(properties: "<dc:creator>Ada</dc:creator>"))]
    let file = png.encoded()
    #expect(try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests()).credits.creators == ["Ada"])
  }

  /// The images in an index must be disjoint, so that no bytes are read repeatedly.
  @Test func picturesOfAnIndexAreDisjoint() throws {
    let picture = try JPEGRecipe.baseline420.encode(.testPattern(width: 16, height: 16))
    var file = GainMapBuilder(picture: picture, map: picture)
    for copies in [1, 7] {
      file.copies = copies
      let bytes = file.encoded()
      let index = try #require(try JPEGHeader(reading: bytes.span, job: .forTests()).multiPicture)
      let others = try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(FaceCropError) in
        try MultiPicture.others(in: unsafe ImageBytes(buffer, isFileMapping: false), index, .forTests())
      }
      #expect(others.count == 1)
    }
  }
}
