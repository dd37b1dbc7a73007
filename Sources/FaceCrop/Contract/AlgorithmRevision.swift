/// The version of the rules that find faces and place frames.
public enum AlgorithmRevision {
  /// The current revision. It rises with every change that can give another plan or other pixels for the same image and
  /// request. Caches and batches store it, so that they do not reuse results of older rules.
  ///
  /// - 1: version 0.1.0 with YuNet-s.
  /// - 2: YuNet-n in two passes.
  /// - 3: frames around heads.
  /// - 4: overviews of a quarter by the walk, and averages that differ from OpenCV's.
  /// - 5: a shorter search for the largest face.
  /// - 6: the network in integers; a close-up pass for the largest face instead of a large pass, in images reduced by
  ///   whole factors; the network's proposals for the cascades.
  /// - 7: overviews of small files from their coefficients.
  /// - 8: regions that fill the image lie around the heads whose faces fit into them together.
  /// - 9: one search for every request, in tiles if an image is long or shows a group; heads by a network; `largest` by
  ///   size, sharpness and score.
  /// - 10: outputs by the Lanczos window at every ratio; faces numbered from the left; colors by cICP, alpha of tiles,
  ///   gain maps of HEIF files.
  /// - 11: the passport framing aims at its standard's rules; `crop` frames the whole heads.
  /// - 12: a plain, light upper edge is no head.
  /// - 13: `largest` weighs score and focus in proportion; passports aim higher inside the range of head heights.
  /// - 14: no large pass if all faces of the small one are certain and higher than 0.15 longer sides.
  /// - 15: a tall person between others is numbered in their row.
  /// - 16: rotated frames near the image's edge have the lowest cost.
  /// - 17: faces are hidden in images that lie sideways, too.
  /// - 18: close-ups do not replace landmarks that lie elsewhere; hidden areas need higher scores.
  /// - 19: faces are hidden in rotated and enlarged views, at the image's edges, and behind alpha, too.
  /// - 20: the person is chosen before all faces are found; heads for avatars with 128 pixels.
  /// - 21: exact landmarks come from a face mesh. Regions with a shape name the faces that they show. A person without a
  ///   visible face has a head. Heads include things on them, and regions of groups include outlines. Two networks cut
  ///   people out, in a window around head and shoulders.
  /// - 22: the most prominent person is whole, in focus, and seen from the front. Plumes and hats are found by color.
  ///   Documents take eyes, chin and skull from the mesh, and aim closer at the middle of the heights that they allow.
  ///   Cut-outs keep or drop wide areas of which the networks are unsure, and end where a color lies beyond the image.
  ///   The best frame of an animation shows open eyes.
  public static let current = 22
}
