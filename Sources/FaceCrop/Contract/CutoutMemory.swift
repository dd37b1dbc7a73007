/// The memory for cutting out people.
enum CutoutMemory {
  /// The upper bound of bytes beside the output's own pixels: seven planes of 16 bytes for 65,536 pixels, the small images
  /// and maps, the network's image, and bands of rows.
  static let bytes = 12 << 20
}
