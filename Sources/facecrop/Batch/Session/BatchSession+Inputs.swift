import FaceCrop
import Synchronization
import SystemPackage

/// The listing of a run's inputs.
extension BatchSession {
  /// Lists the inputs. Files and folders in `written`, which the run writes, are none. A shard lists its own, and those
  /// whose outputs could have the names of its own.
  func list(
    _ stored: StoredPlans?, notIn written: [FilePath], _ locator: InputLocator, _ progress: BatchProgress
  ) throws -> InputList {
    let excluded = Set(written.compactMap { FileStatus($0)?.identity })
    let names = try paths.list.map { try read(list: $0) }
    func list(_ has: @escaping (FilePath) -> Bool) throws -> InputList {
      progress.names.store(0, ordering: .relaxed)
      var list = InputList(
        isRecursive: options.recursive, base: paths.base, excluded: excluded, skipsRunFolders: true, locator: locator,
        has: { place in
          progress.names.add(1, ordering: .relaxed)
          return has(place)
        })
      for input in paths.inputs { list.add(named: input) }
      if let names, let file = paths.list { try list.add(list: names, file: Input.shown(file.string)) }
      if let stored, paths.inputs.isEmpty, paths.list == nil { for input in stored.inputs { list.add(named: input) } }
      return list
    }
    guard let shard = options.shard, try listsOnlyShard() else { return try list { _ in true } }
    let rivals = Set(try list(shard.has).inputs.map(\.place.rivalKey))
    return try list { shard.has($0) || rivals.contains($0.rivalKey) }
  }

  /// Returns whether nothing depends on the inputs of other shards: each file is found once, no output can have the name of
  /// theirs, and the manifest does not have them.
  private func listsOnlyShard() throws -> Bool {
    try !options.overwrite && options.onCollision != .number
      && options.nameTemplate().map { $0.tellsInputsApart && !$0.needsNames } ?? true
      && (!options.recursive || options.inputs.count == 1 && paths.list == nil)
      && [options.manifest, options.names, options.planIn, options.remake].allSatisfy { $0 == nil }
  }

  /// The upper bound of a list of files in bytes.
  private static let longestList = 256 << 20

  func read(list: FilePath) throws -> [UInt8] {
    let isStandard = list == FilePath(Input.standard)
    do {
      // A search of all disks can be silent for long, and its user can end it. A named pipe may have no other end.
      let time = ReadingTime(isStandard ? .seconds(Int64.max) : options.look.limits.time, isOfSilence: true)
      return try Input.readToEnd(of: list, atMost: Self.longestList, within: time)
    } catch {
      let bound = ("a list", "split it, one list for each run")
      throw FileError.reading(Input.shown(list.string), error, kind: "list", bound: bound)
    }
  }
}

extension FilePath {
  /// The path without its extension, in lower case. Files of one shot, and inputs whose outputs may have one name, have
  /// the same key.
  fileprivate var rivalKey: String { withoutExtension.string.lowercased() }
}
