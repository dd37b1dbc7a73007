import Glibc
import SystemPackage

/// The inputs of a run from files, folders, and lists. They keep the order of the command line, and byte order in
/// folders. Each path occurs once.
struct InputList {
  private(set) var inputs: [BatchInput] = []
  /// The named folders in which no file was found, nor a folder of another run.
  private(set) var emptyFolders: [FilePath] = []
  /// The named inputs that are not below the base.
  private(set) var outsiders: [FilePath] = []
  let isRecursive: Bool
  /// The folder whose structure is kept for named files.
  let base: FilePath?
  /// The files and folders that the run writes, which are no inputs when they are found in a folder.
  let excluded: Set<FileStatus.Identity>
  /// Whether folders that other runs wrote are skipped, unless they are named.
  let skipsRunFolders: Bool

  private let locator: InputLocator
  private var seen: Set<FilePath> = []
  private var passed: Set<FilePath> = []
  /// The number of folders that were found and skipped, because other runs wrote them.
  var skippedFolders: Int { passed.subtracting(seen).count }

  init(
    isRecursive: Bool, base: FilePath?, excluded: Set<FileStatus.Identity>, skipsRunFolders: Bool = false,
    locator: InputLocator
  ) {
    self.locator = locator
    self.skipsRunFolders = skipsRunFolders
    self.isRecursive = isRecursive
    self.base = base
    self.excluded = excluded
  }

  // MARK: Arguments

  mutating func add(named path: FilePath) {
    guard let status = FileStatus(path), status.isFolder else { return add(file: path) }
    guard isRecursive else {
      return add(file: path, .failed("folder", "the input is a folder (pass -r to crop the files in it)"))
    }
    // Without a base the folder is the root of the structure.
    let place = inner(of: path) ?? ""
    if !addFolder(path, status, place: place, above: []) { emptyFolders.append(path) }
  }

  /// Adds the names in a list, which may begin with a byte-order mark. They end with NULs if it contains any, else with
  /// newlines, with an optional carriage return. Empty names are skipped. Each name takes some hundred bytes, so there
  /// are at most `most`.
  mutating func add(list bytes: [UInt8], file: String, most: Int = 2_000_000) throws(FileError) {
    let end: UInt8 = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
    guard bytes.count(where: { $0 == end }) <= most else {
      throw FileError(
        file, "a list has at most \(most) names (split it, one list for each run)", kind: "list")
    }
    let mark = bytes.starts(with: "\u{FEFF}".utf8) ? 3 : 0
    for name in bytes.dropFirst(mark).split(separator: end) {
      let path = FilePath(bytes: name)
      let isWindows = end != 0 && name.last == UInt8(ascii: "\r") && FileStatus(path) == nil
      if isWindows, name.count == 1 { continue }
      add(named: isWindows ? FilePath(bytes: name.dropLast()) : path)
    }
  }

  /// Adds a file by its path relative to the base, or else by its name.
  private mutating func add(file path: FilePath, _ obstacle: Outcome.Obstacle? = nil) {
    let place = inner(of: path) ?? path.lastComponent.map { FilePath(root: nil, [$0]) } ?? path
    add(BatchInput(path: path, place: place, isNamed: true, obstacle: obstacle))
  }

  private mutating func add(_ input: BatchInput) {
    var input = input
    input.location = locator.location(of: input.path)
    if seen.insert(input.location).inserted { inputs.append(input) }
  }

  /// Returns the path relative to the base, and notes a path elsewhere. Links below the base stay as named, and the two
  /// can be spelled in different ways otherwise.
  private mutating func inner(of path: FilePath) -> FilePath? {
    guard let base else { return nil }
    if let (own, folder) = Self.plain(path).flatMap({ own in Self.plain(base).map { (own, $0) } }) {
      var inner = own
      if inner.removePrefix(folder), inner.isEmpty || OutputFolder.isInside(inner) { return inner }
    }
    if let inner = locator.path(of: path, below: base) { return inner }
    outsiders.append(path)
    return nil
  }

  /// Returns the path without `.`; nil if it has `..` behind a folder, which may be a link.
  private static func plain(_ path: FilePath) -> FilePath? {
    func steps(_ path: FilePath) -> Int { path.components.count { $0.kind == .parentDirectory } }
    let plain = path.lexicallyNormalized()
    return steps(plain) == steps(path) ? plain : nil
  }

  // MARK: Folders

  /// Adds the files in a folder. Returns false if there is none, and nothing was left out.
  private mutating func addFolder(
    _ path: FilePath, _ status: FileStatus, place: FilePath, above: Set<FileStatus.Identity>
  ) -> Bool {
    guard !excluded.contains(status.identity), !above.contains(status.identity) else { return true }
    guard seen.insert(locator.location(of: path)).inserted else { return true }
    let names: [FilePath.Component]
    do {
      names = try Self.names(in: path)
    } catch {
      inputs.append(
        BatchInput(
          path: path, location: locator.location(of: path), place: place, isNamed: true,
          // Each run names it, because permissions and disks change without the files in it.
          obstacle: .failed("unreadable", "the folder cannot be read: \(error)", isTransient: true)))
      return true
    }
    var hasFiles = false
    for name in names {
      let own = path.appending(name)
      let inner = place.appending(name)
      let found = try? FileStatus(of: own, followsLinks: false)
      let target = found?.isSymbolicLink == true ? FileStatus(own) : found
      if let target, excluded.contains(target.identity) {
        hasFiles = true
        continue
      }
      if let found, found.isFolder {
        if skipsRunFolders, RunFolder.isWritten(own, beside: names) {
          passed.insert(locator.location(of: own))
          hasFiles = true
          continue
        }
        if addFolder(own, found, place: inner, above: above.union([status.identity])) { hasFiles = true }
        continue
      }
      hasFiles = true
      if found?.isSymbolicLink == true, target?.isFolder == true {
        add(
          BatchInput(
            path: own, place: inner, isNamed: false,
            obstacle: .skipped("link", "symbolic links to folders are not followed (name the folder itself)"))
        )
      } else {
        add(BatchInput(path: own, place: inner, isNamed: false, obstacle: Self.obstacle(of: name)))
      }
    }
    return hasFiles
  }

  /// Cameras store a small JPEG beside a video or raw file, with the same name.
  private static func obstacle(of name: FilePath.Component) -> Outcome.Obstacle? {
    guard name.extension?.lowercased() == "thm" else { return nil }
    return .skipped("thumbnail", "the file is a camera's thumbnail of another file (name it to crop it)")
  }

  /// Returns the names in a folder in byte order, without hidden ones.
  private static func names(in folder: FilePath) throws(Errno) -> [FilePath.Component] {
    guard let stream = unsafe folder.withPlatformString({ unsafe opendir($0) }) else {
      throw Errno(rawValue: errno)
    }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw Errno(rawValue: errno) }
        break
      }
      let length = unsafe strlen(
        entry.pointer(to: \.d_name)!.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe $0 })
      let bytes = unsafe Array(UnsafeRawBufferPointer(start: entry.pointer(to: \.d_name), count: length))
      if bytes.first != UInt8(ascii: ".") { names.append(bytes) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { FilePath(bytes: $0).lastComponent }
  }
}
