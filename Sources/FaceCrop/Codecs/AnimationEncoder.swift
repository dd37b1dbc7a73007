/// An encoder that takes the frames of an animation, all of one size, in order.
protocol AnimationEncoder: AnyObject {
  /// Adds a frame that shows for a time.
  func add(_ frame: PixelBuffer, milliseconds: Int) throws(FaceCropError)

  /// Ends the file. The encoder takes no more frames.
  func finish() throws(FaceCropError) -> [UInt8]
}
