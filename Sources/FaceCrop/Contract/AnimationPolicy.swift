/// The frames of an animation that a request uses. Other images are unaffected.
public enum AnimationPolicy: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// The first frame alone.
  case first
  /// The frame whose faces are sharpest, among up to 16 frames at equal distances. Frames with more of the chosen faces
  /// come first. An animation without a face gives its first frame.
  case best
  /// All frames, cropped by one steady region. It contains the heads of up to 8 frames at equal distances;
  /// ``FaceCropper/animatedCrops(of:plan:request:as:progress:)`` writes the frames. Other calls render the
  /// first frame by this region.
  case keep
}
