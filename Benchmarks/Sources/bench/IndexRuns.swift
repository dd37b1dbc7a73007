import CFullDecode
import FaceCrop

/// The index compared with libjpeg-turbo on the same file: the overview, a region, and a further one.
enum IndexRuns {
  /// Seconds of processor time, round by round, on one thread.
  struct Times: Encodable {
    let picture: String
    /// The upper bound of the walk and the first region, in full decodes.
    let limit: Double?
    /// Decoding to gray at 1/8 by libjpeg-turbo.
    var eighthDecode = Samples()
    var usedMemory = Session()
    var newMemory = Session()
  }

  /// The steps of a session, with pixels in the same kind of memory.
  struct Session: Encodable {
    /// Decoding to RGB by libjpeg-turbo.
    var fullDecode = Samples()
    /// The walk over the whole file, including the overview.
    var walk = Samples()
    /// A region that is cut out and decoded to RGB.
    var firstRegion = Samples()
    var secondRegion = Samples()
    /// Freeing the index's memory.
    var end = Samples()

    /// The full cost of the overview.
    var scan: Samples { walk + end }

    mutating func dropFirstRound() {
      for samples in [\Session.fullDecode, \.walk, \.firstRegion, \.secondRegion, \.end] {
        self[keyPath: samples].dropFirst()
      }
    }
  }

  static func measure(rounds: Int) throws -> [Times] {
    try Picture.all.filter { !$0.isProgressive }.map { try measure($0, rounds: rounds) }
  }

  private static func measure(_ picture: Picture, rounds: Int) throws -> Times {
    let bytes = try picture.bytes()
    let used = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: picture.width * picture.height * 3)
    defer { unsafe used.deallocate() }
    return try unsafe bytes.withUnsafeBufferPointer { file in
      try unsafe requireSamePixels(picture, file)
      var times = Times(picture: picture.name, limit: Limit.firstRegion(of: picture))
      for _ in 0...rounds {
        times.eighthDecode.measure { unsafe eighth_decode(file.baseAddress!, file.count, used.baseAddress!) }
        try unsafe measure(picture, file, in: .used(used), &times.usedMemory)
        try unsafe measure(picture, file, in: .new, &times.newMemory)
      }
      times.eighthDecode.dropFirst()
      times.usedMemory.dropFirstRound()
      times.newMemory.dropFirstRound()
      return times
    }
  }

  private static func measure(
    _ picture: Picture, _ file: UnsafeBufferPointer<UInt8>, in memory: PixelMemory, _ times: inout Session
  ) throws {
    try times.fullDecode.measure {
      try unsafe memory.with(picture.pixelBytes) { unsafe full_decode(file.baseAddress!, file.count, $0) }
    }
    let session = try times.walk.measure {
      let session = try unsafe IndexSession(file)
      try unsafe memory.with(session.overviewBytes) { try unsafe session.readOverview(into: $0) }
      return session
    }
    for (samples, region) in [(\Session.firstRegion, picture.region(at: 4)), (\.secondRegion, picture.region(at: 2))] {
      try times[keyPath: samples].measure {
        try unsafe memory.with(region.width * region.height * 3) { try unsafe session.decode(region, into: $0) }
      }
    }
    times.end.measure { session.close() }
  }

  /// Requires the same pixels as libjpeg-turbo's, since the figures are for equal results.
  private static func requireSamePixels(_ picture: Picture, _ file: UnsafeBufferPointer<UInt8>) throws {
    let session = try unsafe IndexSession(file)
    defer { session.close() }
    var expected = [UInt8](repeating: 0, count: picture.pixelBytes)
    var found = [UInt8](repeating: 0, count: session.overviewBytes)
    unsafe eighth_decode(file.baseAddress!, file.count, &expected)
    try unsafe session.readOverview(into: &found)
    guard expected.starts(with: found) else { throw BenchError("the overview of \(picture.name) is not libjpeg's") }

    unsafe full_decode(file.baseAddress!, file.count, &expected)
    for region in [picture.region(at: 4), picture.region(at: 2)] {
      let stride = region.width * 3
      found = [UInt8](repeating: 0, count: region.height * stride)
      try unsafe session.decode(region, into: &found)
      for row in 0..<region.height {
        let start = ((region.y + row) * picture.width + region.x) * 3
        guard expected[start..<start + stride].elementsEqual(found[row * stride..<(row + 1) * stride]) else {
          throw BenchError("a region of \(picture.name) is not the full decode's")
        }
      }
    }
  }
}

extension Picture {
  fileprivate var pixelBytes: Int { width * height * 3 }

  /// Returns 1024 × 1024 pixels that start at a fraction of the width and height.
  fileprivate func region(at part: Int) -> PixelRect {
    PixelRect(x: width / part, y: height / part, width: 1_024, height: 1_024)
  }
}
