import FaceCrop
import Glibc

extension FolderOrigin {
  /// Some images of the folder.
  struct Listing: Equatable, Sendable {
    /// Paths below the folder, those in the folder itself first.
    var images: [String] = []
    /// Whether there may be more.
    var isCut = false
  }

  /// The bounds of a listing, for folders of any size.
  struct ListingBounds: Sendable {
    var images = 200
    var entries = 20_000
    var depth = 8
  }

  /// Lists images by their extensions. Hidden files, links and names that are not UTF-8 are left out.
  ///
  /// - Parameter text: A part of the paths, in any case; empty for all.
  func images(matching text: String, _ bounds: ListingBounds = ListingBounds()) async throws(ServiceError) -> Listing {
    try await offPool { () throws(ServiceError) in try list(text.lowercased(), bounds) }
  }

  private static let extensions = Set(ImageFormat.allCases.flatMap(\.fileExtensions))

  private func list(_ text: String, _ bounds: ListingBounds) throws(ServiceError) -> Listing {
    var listing = Listing()
    var entries = bounds.entries
    var folders: ArraySlice<[String]> = [[]]
    while let parts = folders.popFirst() {
      guard entries > 0, listing.images.count < bounds.images else {
        listing.isCut = true
        break
      }
      let found: (files: [String], folders: [String])
      do throws(ServiceError) {
        found = try Self.entries(of: parts, in: root, &entries)
      } catch {
        // A folder below may have gone or may be closed to this user; the root must be readable.
        if parts.isEmpty { throw error }
        continue
      }
      let prefix = parts.map { $0 + "/" }.joined()
      let room = bounds.images - listing.images.count
      let images = found.files.sorted().map { prefix + $0 }.filter { text.isEmpty || $0.lowercased().contains(text) }
      listing.images += images.prefix(room)
      if images.count > room { listing.isCut = true }
      if parts.count < bounds.depth { folders += found.folders.sorted().map { parts + [$0] } }
    }
    if entries <= 0 { listing.isCut = true }
    return listing
  }

  /// Reads the names of a folder's images and folders, and takes their number from `left`.
  private static func entries(
    of parts: [String], in root: String, _ left: inout Int
  ) throws(ServiceError) -> (files: [String], folders: [String]) {
    let descriptor = try OpenedFile.openFolder(parts, in: root)
    guard let stream = unsafe fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      throw ServiceError("the folder cannot be listed", code)
    }
    defer { unsafe closedir(stream) }
    var (files, folders): ([String], [String]) = ([], [])
    while left > 0, let entry = unsafe readdir(stream) {
      left -= 1
      var kind = unsafe Int32(entry.pointee.d_type)
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(validating: Array(bytes.prefix { $0 != 0 }), as: UTF8.self)
      }
      guard let name, !name.isEmpty, !name.hasPrefix(".") else { continue }
      if kind == Int32(DT_UNKNOWN) { kind = Self.kind(of: name, in: descriptor) }
      if kind == Int32(DT_DIR) {
        folders.append(name)
      } else if kind == Int32(DT_REG), let dot = name.lastIndex(of: "."),
        extensions.contains(name[name.index(after: dot)...].lowercased())
      {
        files.append(name)
      }
    }
    return (files, folders)
  }

  /// Asks for the kind of an entry, on file systems whose folders do not tell.
  private static func kind(of name: String, in folder: CInt) -> Int32 {
    var status = stat()
    guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return Int32(DT_UNKNOWN) }
    // As the macro IFTODT does, which Swift does not import.
    return Int32((status.st_mode & S_IFMT) >> 12)
  }
}
