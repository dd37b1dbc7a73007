import ArgumentParser
import FaceCrop
import SystemPackage

/// The inputs on the command line.
enum Input {
  struct Name: Sendable {
    /// The name for messages.
    var text: String
    var path: FilePath
    /// The bytes of a name that is not UTF-8.
    var base64: String? { path.base64 }
  }

  static let standard = "-"

  /// Returns an input's name for people: that of standard input instead of its sign.
  static func shown(_ name: String) -> String { name == standard ? "standard input" : name }

  /// Returns the source of an input, and reads pipes.
  static func source(_ path: FilePath, page: Int? = nil, limits: Limits) throws(FaceCropError) -> ImageSource {
    guard path == FilePath(standard) else {
      if FileStatus(path)?.isFolder == true {
        throw .unreadable("it is a folder (\(folderRemedy))")
      }
      return try ImageSource.file(path).at(page).held(limits: limits)
    }
    do {
      return .bytes(try readToEnd(of: path, atMost: limits.fileBytes, within: ReadingTime(limits.time))).at(page)
    } catch {
      throw error as? FaceCropError ?? .unreadable("\(error)")
    }
  }

  /// The remedy for a folder among the inputs, as a clause.
  private static var folderRemedy: String {
    switch LaunchArguments.texts.dropFirst().first {
    case "check": "name an image, or check all in it with facecrop check -r"
    case "crop", "avatar": "name an image, or crop all in it with facecrop batch -r"
    default: "name the images in it, for example with *.jpg"
    }
  }

  /// Returns the input's file, which no output may replace; nil for a pipe.
  static func file(_ path: FilePath) -> FilePath? {
    guard path == FilePath(standard) else { return path }
    let own: FilePath = "/dev/stdin"
    return FileStatus(own)?.isRegular == true ? own : nil
  }

  static func checkIsNoURL(_ input: String) throws(ValidationError) {
    guard input.contains("://"), FileStatus(FilePath(input)) == nil else { return }
    throw ValidationError(
      "\(input): URLs are not fetched (pipe the image: curl -fsS '\(input)' | facecrop avatar - -o avatar.jpg)")
  }

  /// Reads all of a file that is not an image, or of standard input. `time` is the timeout for a pipe.
  static func readToEnd(
    of path: FilePath, atMost maximum: Int = 1 << 26, within time: ReadingTime = ReadingTime(Limits().time)
  ) throws -> [UInt8] {
    if path == FilePath(standard) {
      return try FileDescriptor.standardInput.readToEnd(atMost: maximum, within: time)
    }
    let file = try FileDescriptor.openAtOnce(path)
    return try file.closeAfter { try file.readToEnd(atMost: maximum, within: time) }
  }

  /// Returns the first bytes of a file; empty if it cannot be read.
  static func start(of path: FilePath, _ most: Int) -> [UInt8] {
    guard let file = try? FileDescriptor.openAtOnce(path) else { return [] }
    return (try? file.closeAfter { try file.bytes(upTo: most) }) ?? []
  }
}

extension ImageSource {
  /// Returns the source of a page.
  func at(_ page: Int?) -> ImageSource {
    var source = self
    source.page = page
    return source
  }
}
