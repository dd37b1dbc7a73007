internal import COpenCVShim

/// OpenCV's own threads, which are a setting of the whole process.
public enum OpenCVThreads {
  /// Keeps OpenCV from starting threads. Results are the same with and without; one picture gains nothing by them, and many
  /// at once lose. The library leaves the setting alone: a program decides at its start. OpenCV is not loaded for that.
  public static func turnOff() {
    fcvision_set_threads(0)
  }
}
