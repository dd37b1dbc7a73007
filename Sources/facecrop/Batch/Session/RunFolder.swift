import SystemPackage

/// A folder that a run wrote. Another run that searches the folder above must not crop the outputs in it.
enum RunFolder {
  /// Returns whether a folder has a run's manifest, or the thumbnails of a report.
  static func isWritten(_ folder: FilePath) -> Bool { hasManifest(folder) || hasThumbnails(folder) }

  private static func hasManifest(_ folder: FilePath) -> Bool {
    ([Shard.plainManifest] + Shard.manifests(in: folder)).contains { name in
      // Another program's file of this name must not hide photos.
      start(of: folder.appending(name)).map { LineFormat.manifest.claim(of: $0) != .somethingElse } ?? false
    }
  }

  /// Returns the first line of a regular file; nil without one that is as short as a format's.
  private static func start(of path: FilePath) -> [UInt8]? {
    guard FileStatus(path)?.isRegular == true, let file = try? FileDescriptor.openAtOnce(path) else { return nil }
    return try? file.closeAfter {
      var reader = LineReader(file, longest: LineFormat.mostBytes)
      return try reader.next()?.bytes
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
