import Glibc
import SystemPackage

/// The command line as it came, in bytes: Swift's strings repair what is no UTF-8, and would name other files. Each argument is some
/// one's: first ask for those of options, then for the others.
struct RawArguments {
  private struct Argument {
    /// The argument as Swift has it.
    var text: String
    var path: FilePath
    /// The option that it may belong to: the argument before, or the part before the equals sign.
    var option: String
  }

  /// Those that are no text, in their order.
  private var arguments: [Argument] = []

  init() {
    var all: [[UInt8]] = []
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
      all.append(unsafe Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
    }
    self.init(all)
  }

  /// - Parameter commandLine: with the program's name.
  init(_ commandLine: [[UInt8]]) {
    func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
    for (before, argument) in zip(commandLine, commandLine.dropFirst()) {
      add(argument[...], option: text(before))
      // A value behind the name of its option.
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

  /// The path that an argument was before it became a string. Of several that became the same, an option's last, or the first that
  /// is no option's.
  ///
  /// - Parameter options: the names of its option; none where it belongs to no option.
  mutating func path(_ argument: String, of options: [String] = []) -> FilePath {
    let isIt = { (candidate: Argument) in
      candidate.text == argument && (options.isEmpty || options.contains { Self.names($0, candidate.option) })
    }
    guard let place = options.isEmpty ? arguments.firstIndex(where: isIt) : arguments.lastIndex(where: isIt) else {
      return FilePath(argument)
    }
    let path = arguments[place].path
    // One file may be named once, and its name be repeated for nothing else.
    if options.isEmpty {
      if arguments.count(where: isIt) > 1 { arguments.remove(at: place) }
    } else {
      arguments.removeAll(where: isIt)
    }
    return path
  }

  /// Whether an argument is the option, or flags of one letter that end in it.
  private static func names(_ option: String, _ argument: String) -> Bool {
    if option == argument { return true }
    return option.utf8.count == 2 && argument.hasPrefix("-") && !argument.hasPrefix("--")
      && argument.utf8.last == option.utf8.last
  }
}
