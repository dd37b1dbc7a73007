/// Which rules find faces and place frames.
public enum AlgorithmRevision {
  /// Rises with every change by which the same picture and request may give another plan or other pixels, so that what is kept from before (a disk
  /// cache's pictures, a batch's outputs) is not taken for what would be made now.
  ///
  /// 1: version 0.1.0 with YuNet-s. 2: YuNet-n in two looks. 3: frames around heads.
  /// 4: overviews of a quarter by the walk, and averages that are not OpenCV's. 5: a shorter search for the largest face.
  /// 6: the network in integers; close looks at the largest face in place of a large one, in pictures that are made smaller by whole
  /// factors; the network's proposals for the cascades. 7: overviews of small files out of their coefficients. 8: regions that fill the
  /// picture are around the heads whose faces fit into them together. 9: one search for every request, in tiles where an image is long or
  /// shows a group; heads by a network; `largest` by size, sharpness and score. 10: outputs by the Lanczos window at every ratio; faces are
  /// numbered from the left. 11: colors by cICP, alpha of tiles, and gain maps of HEIF files.
  public static let current = 11
}
