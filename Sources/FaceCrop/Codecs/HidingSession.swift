/// A session that can replace areas of its image and keep the data of everything else.
protocol HidingSession: ImageSession {
  /// Returns the file with hidden areas, in pixels of the image as stored. Only blocks with hidden samples are encoded
  /// again. The metadata replace those of the file, and embedded images are dropped.
  func hiding(
    _ areas: [HiddenArea], by mode: HidingMode, metadata: CropMetadata, progress: ProgressSpan
  ) throws(FaceCropError) -> Decoded<[UInt8]>
}
