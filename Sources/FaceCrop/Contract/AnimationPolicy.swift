/// The frames of an animation that a request uses. Other images are unaffected.
public enum AnimationPolicy: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// The first frame alone.
  case first
  /// The frame with most of the chosen faces, then with most open eyes, then with most faces that look here, and then
  /// with the sharpest ones, among up to 16 frames at equal distances. An animation without a face gives its first frame.
  /// Eyes are measured if the detector has exact landmarks.
  case best
  /// All frames, cropped by one steady region. It contains the heads of up to 8 frames at equal distances;
  /// ``FaceCropper/animatedCrops(of:plan:request:as:progress:)`` writes the frames. Other calls render the
  /// first frame by this region.
  case keep
}
