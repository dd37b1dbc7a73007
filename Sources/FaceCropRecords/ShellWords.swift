/// The quoting of command lines for a shell.
public enum ShellWords {
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%".utf8)

  public static func text(_ words: [String]) -> String {
    words.map { word in
      !word.isEmpty && word.utf8.allSatisfy(plain.contains)
        ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }.joined(separator: " ")
  }
}
