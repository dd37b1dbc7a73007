extension FaceCropper {
  /// Reads an image for use as a background, and checks its header. Its pixels are decoded once for each request.
  ///
  /// - Parameter source: The image. It must keep the cropper's limits, like an image to crop.
  /// - Throws: ``FaceCropError/unreadable(_:)``, ``FaceCropError/unsupported(_:)``, ``FaceCropError/corrupt(_:)`` or
  ///   ``FaceCropError/overLimit(_:actual:allowed:)``.
  public func backgroundImage(from source: ImageSource) async throws(FaceCropError) -> BackgroundImage {
    do throws(FaceCropError) {
      return try await Job.run(limits: limits, progress: nil) { (job) throws(FaceCropError) in
        try source.withBytes(limits: limits, job: job) { (bytes, isFileMapping) throws(FaceCropError) in
          let info = try ImageInfo(reading: bytes, isFileMapping: isFileMapping, job: job)
          let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
          return BackgroundImage(bytes: copy, memory: info.memory.addingClamped(copy.count))
        }
      }
    } catch {
      throw error.ofBackground
    }
  }
}
