/// The pieces of an ICC profile in APP2 segments (ICC.1:2022, annex B.4). Each has its position, from 1, and the number
/// of pieces.
struct ICCProfileChunks {
  private var chunks: [(place: Int, total: Int, data: Range<Int>)] = []
  private static let overhead = 14  // "ICC_PROFILE\0", the position and the number
  /// The upper bound of pieces. A position is one byte, so that more pieces give no profile.
  private static let most = 256

  var isEmpty: Bool { chunks.isEmpty }

  mutating func add(_ bytes: Span<UInt8>, _ segment: Range<Int>) {
    guard chunks.count < Self.most else { return }
    guard segment.count >= Self.overhead, let place = bytes.byte(at: segment.lowerBound + 12),
      let total = bytes.byte(at: segment.lowerBound + 13)
    else { return chunks.append((0, 0, segment)) }
    chunks.append((Int(place), Int(total), segment.dropFirst(Self.overhead)))
  }

  /// Returns the whole profile; nil if a piece is missing or repeated, or the profile is for other colors.
  func profile(in bytes: Span<UInt8>, _ space: ICCProfile.Space) -> [UInt8]? {
    let ordered = chunks.sorted { $0.place < $1.place }
    guard ordered.map(\.place) == Array(1...ordered.count), ordered.allSatisfy({ $0.total == ordered.count }) else {
      return nil
    }
    let profile = ordered.reduce(into: [UInt8]()) { $0 += bytes.copy($1.data) }
    return ICCProfile.cleaned(profile, space)
  }
}
