/// The release that this is.
public enum Release {
  /// The version of the command, the server and the library.
  public static let version = "0.1.0"
}
