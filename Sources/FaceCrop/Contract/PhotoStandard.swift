/// A set of rules for photos in identity documents.
public enum PhotoStandard: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// A photo of 35 × 45 mm, by ICAO Doc 9303, part 3, and ISO/IEC 19794-5:2011.
  case passport
  /// A passport of Austria.
  case passportAT = "passport:at"
  /// A passport of Australia.
  case passportAU = "passport:au"
  /// A passport of Bhutan.
  case passportBT = "passport:bt"
  /// A passport of Belarus.
  case passportBY = "passport:by"
  /// A passport of Germany.
  case passportDE = "passport:de"
  /// A passport of France.
  case passportFR = "passport:fr"
  /// A passport of Hong Kong.
  case passportHK = "passport:hk"
  /// A passport of India, applied for abroad.
  case passportIN = "passport:in"
  /// A passport of Japan.
  case passportJP = "passport:jp"
  /// A passport of South Korea.
  case passportKR = "passport:kr"
  /// A passport of New Zealand, applied for online.
  case passportNZ = "passport:nz"
  /// A passport of Poland.
  case passportPL = "passport:pl"
  /// A passport of Singapore.
  case passportSG = "passport:sg"
  /// A passport of the Turks and Caicos Islands.
  case passportTC = "passport:tc"
  /// A passport of the United States.
  case passportUS = "passport:us"
  /// An identity card of Germany.
  case idDE = "id:de"
  /// An identity card of France.
  case idFR = "id:fr"
  /// An electronic identity card of Italy.
  case idIT = "id:it"
  /// A visa of China, applied for in China.
  case visaCN = "visa:cn"
  /// A Schengen visa, by the rules of Germany's missions.
  case visaSchengen = "visa:schengen"
  /// A visa of the United States.
  case visaUS = "visa:us"

  /// The largest tilt of the eyes in degrees.
  package static let largestTilt = 8.0

  /// The limits for the position of a head in its frame. `check` measures by them, and frames aim at them.
  struct Placement {
    /// The head from chin to skull, as a fraction of the frame's height.
    var headHeight: ClosedRange<Double>
    /// The eyes above the lower edge, as a fraction of the frame's height.
    var eyeLine: ClosedRange<Double>
    /// The middle of the eyes from the left, as a fraction of the frame's width.
    var center: ClosedRange<Double>
    /// The least room around head and hair, as a fraction of the frame's height or width.
    var room: Double
  }

  /// The limits. A document's authority sets those that it states, and ICAO Doc 9303 or ISO/IEC 19794-5 the others.
  var placement: Placement {
    var placement = Placement(headHeight: 0.7...0.8, eyeLine: 0.5...0.7, center: 0.45...0.55, room: 0.005)
    guard let document else { return placement }
    if let head = document.headHeight { placement.headHeight = document.part(head) }
    if let eyes = document.eyeLine { placement.eyeLine = document.part(eyes) }
    return placement
  }

  /// The framing that aims at the rules.
  public var framing: Framing {
    guard let document else { return .passport }
    let (head, eyes) = (placement.headHeight, placement.eyeLine)
    let height = (head.lowerBound + head.upperBound) / 2
    let headroom: ClosedRange<Double>? = document.headroom.map { document.part($0) }
    func middle(_ range: ClosedRange<Double>) -> Double { (range.lowerBound + range.upperBound) / 2 }
    // The eyes are half-way down a head. Without a rule, a little less than half of the other room is above it.
    let down: Double
    if let headroom {
      down = middle(headroom) + height / 2
    } else if document.eyeLine != nil {
      down = 1 - middle(eyes)
    } else {
      down = Self.roomAbove * (1 - height) + height / 2
    }
    let room: Double = headroom.map { middle($0) } ?? min(0.08, (1 - height) / 3)
    func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
    return Framing(
      faceRatio: rounded(height / Head.Proportions.height),
      eyeLine: rounded(min(max(down, 1 - eyes.upperBound), 1 - eyes.lowerBound)), headroom: rounded(room),
      aspect: document.aspect, largestFaceRatio: rounded(head.upperBound / Head.Proportions.height), standard: self)
  }

  /// The part of the room around a head that is above it, as in ``Framing/passport``.
  private static let roomAbove = 0.42
}
