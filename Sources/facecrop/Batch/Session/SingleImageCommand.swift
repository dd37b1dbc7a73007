import SystemPackage

/// The command that makes one image of a run again with its automatic frame, at the path where the run has its output.
struct SingleImageCommand: Sendable {
  /// The options of the run that do not choose the inputs.
  private let words: [String]
  /// The run's `--base`; nil without one.
  private let base: FilePath?

  /// Creates the command from that of the run; nil if names of outputs depend on the other inputs.
  init?(_ options: BatchOptions, base: FilePath?, commandLine: [String]) {
    guard options.onCollision == .fail || options.onCollision == .first, options.pairs != .both, options.names == nil
    else { return nil }
    let words = ReportPage.words(
      without: ["--plan-in", "--remake", "--base", "--from-list"], in: Array(commandLine.dropFirst()))
    // With --overwrite, --prune would remove corrected outputs of other images.
    let others: Set = ["-r", "--recursive", "--dry-run", "--prune", "--"]
    self.base = base
    self.words = Self.words(words, without: options.inputs).filter { !others.contains($0) }
  }

  /// Returns the arguments without the inputs. If an option's value has the same text as an input, it stays.
  private static func words(_ words: [String], without inputs: [String]) -> [String] {
    let inputs = inputs.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    let all = words.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    return zip([""] + words, words).compactMap { before, word in
      guard let count = inputs[word] else { return word }
      let isInput = count == all[word] || !before.hasPrefix("-") || ["-r", "--recursive", "--"].contains(before)
      return isInput ? nil : word
    }
  }

  /// Returns the command for an input.
  func text(for input: BatchInput) -> String {
    // The command's name comes first.
    let image = [Self.argument(input.path), "--base", Self.argument(base(of: input))]
    return ShellWords.text(["facecrop"] + words.prefix(1) + image + words.dropFirst() + ["--overwrite"])
  }

  /// Returns the folder below which the input has its place.
  private func base(of input: BatchInput) -> FilePath {
    var base = input.path.lexicallyNormalized()
    if let own = self.base, !base.components.reversed().starts(with: input.place.components.reversed()) { return own }
    for _ in input.place.components { base.removeLastComponent() }
    return base.isEmpty ? "." : base
  }

  /// Returns a path that does not look like an option.
  private static func argument(_ path: FilePath) -> String {
    path.string.hasPrefix("-") ? "./\(path.string)" : path.string
  }
}
