/// Animations whose first frame is small, and whose later ones demand much memory.
public struct HostileFrames: Sendable, CustomStringConvertible {
  /// The file's name.
  public let name: String
  private let make: @Sendable () throws -> [UInt8]
  public var description: String { name }

  private init(_ name: String, _ make: @escaping @Sendable () throws -> [UInt8]) {
    (self.name, self.make) = (name, make)
  }

  public func file() throws -> [UInt8] { try make() }

  public static let all = [
    HostileFrames("large-frame.gif") {
      var gif = GIFBuilder(width: 100, height: 100, bits: 2)
      var large = GIFBuilder(width: 1, height: 1, bits: 2)
      (large.isInterlaced, large.codes) = (true, GIFBuilder.run(of: 9_000 * 9_000))
      // The frame of the large file, behind its header of 13 bytes and 4 colors, with another size.
      gif.behind = Array(large.encoded()[25...].dropLast())
      gif.behind.replaceSubrange(5..<9, with: GIFBuilder.numbers([9_000, 9_000]))
      return gif.encoded()
    },
    HostileFrames("groups-of-a-frame.webp") { try HostileWebP.laterGroups(side: 392) },
    HostileFrames("colors-of-frames.png") { png(behind: ("tRNS", 1_000), 60_000) },
    HostileFrames("chunks-of-a-frame.png") { png(behind: ("fdAT", 4), 3_000_000) },
  ]

  /// Returns an animated PNG of two frames, with chunks of zeros before its end.
  private static func png(behind chunk: (name: String, bytes: Int), _ count: Int) -> [UInt8] {
    var animation = AnimationBuilder(width: 64, height: 64)
    animation.frames = (0..<2).map { AnimationBuilder.Frame(.noise(width: 64, height: 64, channels: 3, seed: $0)) }
    let file = animation.png()
    let bytes = PNGBuilder.chunk(chunk.name, [UInt8](repeating: 0, count: chunk.bytes))
    var all = Array(file.dropLast(12))
    all.reserveCapacity(file.count + count * bytes.count)
    for _ in 0..<count { all += bytes }
    return all + file.suffix(12)
  }
}
