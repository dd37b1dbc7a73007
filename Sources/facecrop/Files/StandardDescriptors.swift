import Glibc
import SystemPackage

/// Standard input, output, and error, which can be closed at the start.
enum StandardDescriptors {
  /// Opens /dev/null in place of closed descriptors. Otherwise the next opened file would get the number, and receive
  /// messages. All are read-only, so that input is empty, and writing fails as before.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // `open` returns the lowest free number, which is this one.
      guard unsafe Glibc.open("/dev/null", O_RDONLY) == descriptor else { _exit(EXIT_FAILURE) }
    }
  }

  /// Throws if standard output or error would write into one of these files, such as an input (`1<>a.jpg`).
  static func check(_ files: some Sequence<FilePath>) throws(FileError) {
    let outputs = [(STDOUT_FILENO, "standard output"), (STDERR_FILENO, "standard error")].compactMap { number, name in
      (try? FileStatus(of: FileDescriptor(rawValue: number))).map { (number: number, name: name, status: $0) }
    }.filter { $0.status.isRegular && fcntl($0.number, F_GETFL) & O_ACCMODE != O_RDONLY }
    guard !outputs.isEmpty else { return }
    for file in files {
      guard let status = FileStatus(file) else { continue }
      let found = outputs.filter { $0.status.identity == status.identity }
      // The message must not go there, either.
      for (number, _, _) in found {
        let isOther = number == STDERR_FILENO && found.count == 1
        dup2(isOther ? STDOUT_FILENO : unsafe Glibc.open("/dev/null", O_RDWR), number)
      }
      guard let name = found.first?.name else { continue }
      throw FileError(name, "it is '\(Input.shown(file.string))', and would overwrite it (redirect it to another file)")
    }
  }

  /// Ends the process with a message if standard output or error is a file that the command line or an option names.
  static func checkArguments() {
    let words = LaunchArguments.bytes.dropFirst()
    let values = words.compactMap { word in word.firstIndex(of: UInt8(ascii: "=")).map { Array(word[($0 + 1)...]) } }
    do throws(FileError) {
      try check(
        (words + values).lazy.filter { !$0.isEmpty }.map { FilePath(bytes: $0) }
          .filter { !OutputFile.isDescriptor($0) }.compactMap { Input.file($0) })
    } catch {
      Console.say("facecrop: \(error)")
      _exit(EXIT_FAILURE)
    }
  }

  /// The descriptors that a run needs beside the standard ones. Dispatch ends the process if it gets none.
  private static let needed = 12

  /// Ends the process with a message if it cannot open enough files.
  static func reserve() {
    var opened: [CInt] = []
    var error: Errno?
    while opened.count < needed, error == nil {
      let next = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      if next < 0 { error = Errno(rawValue: errno) } else { opened.append(next) }
    }
    for descriptor in opened { close(descriptor) }
    guard let error else { return }
    Console.say(
      "facecrop: only \(opened.count) more files can be opened, and \(needed) are needed: \(error) (raise the limit with ulimit -n)"
    )
    _exit(EXIT_FAILURE)
  }
}
