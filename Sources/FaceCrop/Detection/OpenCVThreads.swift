internal import COpenCVShim

/// OpenCV's own threads, a setting of the whole process.
public enum OpenCVThreads {
  /// Keeps OpenCV from starting threads. Call it at the start of a program that processes several images at once.
  ///
  /// Results stay the same. One image gains nothing from the threads, and many at once lose. This does not load OpenCV.
  public static func turnOff() {
    fcvision_set_threads(0)
  }
}
