/// The combined results of one detector on several images.
struct Score {
  private(set) var hits = 0
  private(set) var asked = 0
  private(set) var falseHits = 0
  private(set) var faceless = 0
  /// Images without faces in which a face was reported.
  private(set) var facelessWithFace = 0
  private(set) var avatars = 0
  private(set) var goodAvatars = 0

  /// Combines results. Faces of unreadable images count as missed.
  init(_ looks: some Sequence<DetectorRun.Look>) {
    for look in looks {
      asked += look.picture.asked.count
      if let isWellFramed = look.isWellFramed {
        avatars += 1
        goodAvatars += isWellFramed ? 1 : 0
      }
      guard let comparison = look.comparison else { continue }
      hits += comparison.hits
      falseHits += comparison.falseHits.count
      if look.picture.isFaceless {
        faceless += 1
        facelessWithFace += comparison.reportsFaces ? 1 : 0
      }
    }
  }

  /// Nil without faces to find.
  var recall: Double? { asked > 0 ? Double(hits) / Double(asked) : nil }
  /// Nil without reported faces.
  var precision: Double? { hits + falseHits > 0 ? Double(hits) / Double(hits + falseHits) : nil }
  /// The harmonic mean of recall and precision.
  var f1: Double? { asked > 0 ? 2 * Double(hits) / Double(asked + hits + falseHits) : nil }
  var framing: Double? { avatars > 0 ? Double(goodAvatars) / Double(avatars) : nil }
}
