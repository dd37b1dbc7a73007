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
  var skipsRunFolders = false
  let locator: InputLocator
  /// Returns whether an input with a place belongs to the list. It may also have others, such as symbolic links.
  var has: (FilePath) -> Bool = { _ in true }
  /// The number of inputs that were left out.
  private(set) var leftOut = 0

  private(set) var seen: Set<FilePath> = []
  private(set) var passed: Set<FilePath> = []
  /// The number of folders that were found and skipped, because other runs wrote them.
  var skippedFolders: Int { passed.subtracting(seen).count }

  // MARK: Arguments

  mutating func add(named path: FilePath) {
    let inner = inner(of: path)
    // A file has its path relative to the base, or else its name.
    var input = BatchInput(
      path: path, place: inner ?? path.lastComponent.map { FilePath(root: nil, [$0]) } ?? path, isNamed: true)
    // Without -r no folder is searched, so that the disk has nothing to say about other inputs.
    if !isRecursive, leavesOut(input.place) { return }
    guard let status = FileStatus(path), status.isFolder else { return add(input) }
    guard isRecursive else {
      input.obstacle = .failed("folder", "the input is a folder (pass -r to crop the files in it)")
      return add(input)
    }
    // Without a base the folder is the root of the structure.
    if !addFolder(path, status, place: inner ?? "", above: []) { emptyFolders.append(path) }
  }

  private mutating func leavesOut(_ place: FilePath) -> Bool {
    if has(place) { return false }
    leftOut += 1
    return true
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
    var rest = bytes.dropFirst(bytes.starts(with: "\u{FEFF}".utf8) ? 3 : 0)
    while !rest.isEmpty {
      let name = rest.prefix { $0 != end }
      rest = rest.dropFirst(name.count + 1)
      if name.isEmpty { continue }
      let path = FilePath(bytes: name)
      let isWindows = end != 0 && name.last == UInt8(ascii: "\r") && FileStatus(path) == nil
      if isWindows, name.count == 1 { continue }
      add(named: isWindows ? FilePath(bytes: name.dropLast()) : path)
    }
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
    let leftOutBefore = leftOut
    let names: [FilePath.Component]
    do {
      names = try Self.names(in: path) { self.leavesOut(place.appending($0)) }
    } catch {
      inputs.append(
        BatchInput(
          path: path, location: locator.location(of: path), place: place, isNamed: true,
          // Each run names it, because permissions and disks change without the files in it.
          obstacle: .failed("unreadable", "the folder cannot be read: \(error)", isTransient: true)))
      return true
    }
    var hasFiles = leftOut > leftOutBefore
    for name in names {
      let own = path.appending(name)
      let inner = place.appending(name)
      let found = try? FileStatus(of: own, followsLinks: false)
      let target = found?.isSymbolicLink == true ? FileStatus(own) : found
      if let target, excluded.contains(target.identity) {
        hasFiles = true
      } else if let found, found.isFolder {
        let isOfRun = skipsRunFolders && RunFolder.isWritten(own)
        if isOfRun { passed.insert(locator.location(of: own)) }
        if isOfRun || addFolder(own, found, place: inner, above: above.union([status.identity])) { hasFiles = true }
      } else {
        hasFiles = true
        var input = BatchInput(path: own, place: inner, isNamed: false)
        if target?.isFolder == true {
          input.obstacle = .skipped("link", "symbolic links to folders are not followed (name the folder itself)")
        } else if name.extension?.lowercased() == "thm" {
          // Cameras store a small JPEG beside a video or raw file, with the same name.
          input.obstacle = .skipped(
            "thumbnail", "the file is a camera's thumbnail of another file (name it to crop it)")
        }
        add(input)
      }
    }
    return hasFiles
  }

  /// Returns the names in a folder in byte order, without hidden ones, and without files that `leavesOut` names.
  static func names(
    in folder: FilePath, leavesOut: (FilePath.Component) -> Bool = { _ in false }
  ) throws(Errno) -> [FilePath.Component] {
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
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      let isFile = unsafe entry.pointee.d_type == UInt8(DT_REG)
      if name.first == UInt8(ascii: ".") || isFile && leavesOut(FilePath(bytes: name).lastComponent!) { continue }
      names.append(name)
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { FilePath(bytes: $0).lastComponent }
  }
}

/// A folder that a run wrote. Another run that searches the folder above must not crop the outputs in it.
enum RunFolder {
  /// Returns whether a folder has a run's manifest, or the thumbnails of a report.
  static func isWritten(_ folder: FilePath) -> Bool { hasManifest(folder) || hasThumbnails(folder) }

  private static func hasManifest(_ folder: FilePath) -> Bool {
    ([Shard.plainManifest] + Shard.manifests(in: folder)).contains { name in
      // Another program's file of this name must not hide photos.
      let path = folder.appending(name)
      guard FileStatus(path)?.isRegular == true else { return false }
      let line = Input.start(of: path, LineFormat.mostBytes + 1).prefix { $0 != UInt8(ascii: "\n") }
      return LineFormat.manifest.claim(of: line) != .somethingElse
    }
  }

  private static func hasThumbnails(_ folder: FilePath) -> Bool {
    guard let own = folder.lastComponent, own.string.hasSuffix(ReportPage.thumbnailsSuffix),
      let names = try? InputList.names(in: folder.folder)
    else { return false }
    return names.contains { name in
      let page = folder.removingLastComponent().appending(name)
      return name != own && ReportPage.thumbnailFolder(of: page) == folder && FileStatus(page)?.isRegular == true
        && ReportPage.isReport(page)
    }
  }
}
