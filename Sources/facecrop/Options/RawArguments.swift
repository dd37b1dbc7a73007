import SystemPackage

/// The command line in bytes. Swift strings replace invalid UTF-8, and would name other files. Each argument has one
/// owner, so look up those of options first.
struct RawArguments {
  private struct Argument {
    var text: String
    var path: FilePath
    /// The option that it may belong to: the previous argument, or the part before the equals sign.
    var option: String
  }

  /// The arguments that are not valid UTF-8, in order.
  private var arguments: [Argument] = []

  init() {
    self.init(LaunchArguments.bytes)
  }

  /// Reads a command line with the program's name.
  init(_ commandLine: [[UInt8]]) {
    func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
    for (before, argument) in zip(commandLine, commandLine.dropFirst()) {
      add(argument[...], option: text(before))
      // The value can follow its option after an equals sign.
      if argument.first == UInt8(ascii: "-"), let equals = argument.firstIndex(of: UInt8(ascii: "=")) {
        add(argument[(equals + 1)...], option: text(argument[..<equals]))
      }
    }
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, option: String) {
    guard String(validating: bytes, as: UTF8.self) == nil else { return }
    arguments.append(
      Argument(text: String(decoding: bytes, as: UTF8.self), path: FilePath(bytes: bytes), option: option))
  }

  /// Returns the original path of an argument of the options with these names, or of none. If several became the same
  /// string, it is an option's last, or else the first without an option.
  mutating func path(_ argument: String, of options: [String] = []) -> FilePath {
    let isIt = { (candidate: Argument) in
      candidate.text == argument && (options.isEmpty || options.contains { Self.names($0, candidate.option) })
    }
    guard let place = options.isEmpty ? arguments.firstIndex(where: isIt) : arguments.lastIndex(where: isIt) else {
      return FilePath(argument)
    }
    let path = arguments[place].path
    // An option's argument is used once. If the same string occurs again, each occurrence names another file.
    if options.isEmpty {
      if arguments.count(where: isIt) > 1 { arguments.remove(at: place) }
    } else {
      arguments.removeAll(where: isIt)
    }
    return path
  }

  /// Returns whether an argument is the option, or one-letter flags that end in it.
  private static func names(_ option: String, _ argument: String) -> Bool {
    if option == argument { return true }
    return option.utf8.count == 2 && argument.hasPrefix("-") && !argument.hasPrefix("--")
      && argument.utf8.last == option.utf8.last
  }
}
