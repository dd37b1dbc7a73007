public import FoundationEssentials
internal import Glibc
internal import Synchronization
public import SystemPackage

/// The images in a folder. Only headers are read, and only if an order, a predicate, or a caller needs them.
///
/// ```swift
/// let library = PhotoLibrary(directory: "/srv/photos")
/// let newest = try await library.fetchAssets(PhotoFetchOptions(limit: 20))
/// for photo in newest { print(photo.path, photo.date) }
/// ```
///
/// Headers are cached until their files change. Another fetch reads only those of new and changed files.
public final class PhotoLibrary: Sendable {
  /// The folder.
  public let directory: FilePath
  /// Whether to include subfolders. Symbolic links to folders are never followed.
  public let includesSubfolders: Bool
  private let cropper: FaceCropper
  private let headers = Mutex<[String: (file: FileIdentity, header: PhotoAsset.Header?)]>([:])

  /// Creates a library without reading the folder. `limits` are those for each header.
  public init(directory: FilePath, includesSubfolders: Bool = false, limits: Limits = Limits()) {
    self.directory = directory
    self.includesSubfolders = includesSubfolders
    cropper = FaceCropper(limits: limits)
  }

  /// Creates a library for the folder at a path.
  public convenience init(directory: String, includesSubfolders: Bool = false, limits: Limits = Limits()) {
    self.init(directory: FilePath(directory), includesSubfolders: includesSubfolders, limits: limits)
  }

  /// Lists the images in the folder. Formats are detected from the content, never from the name. Files that disappear
  /// meanwhile are skipped.
  ///
  /// - Throws: ``PhotoLibraryError/notFound(_:)``, ``PhotoLibraryError/accessDenied(_:)``,
  ///   ``PhotoLibraryError/notAFolder(_:)``, ``PhotoLibraryError/unreadable(_:reason:)`` or
  ///   ``PhotoLibraryError/cancelled``.
  public func fetchAssets(
    _ options: PhotoFetchOptions = PhotoFetchOptions()
  ) async throws(PhotoLibraryError) -> PhotoFetchResult {
    var photos: [PhotoAsset] = []
    for name in try names(includesHidden: options.includesHiddenFiles) {
      if Task.isCancelled { throw .cancelled }
      let path = directory.appending(FilePath(name).components)
      guard let file = try? FileIdentity(path) else { continue }
      photos.append(PhotoAsset(name: name, path: path, file: file))
    }
    forgetAll(but: photos)
    photos.sort { $0.name < $1.name }
    if options.sortOrder != .name {
      photos = try await withHeaders(photos)
      // The sort is stable, so that equal dates stay ordered by name.
      photos.sort { options.sortOrder == .newestFirst ? $0.date > $1.date : $0.date < $1.date }
    }
    return PhotoFetchResult(assets: try await chosen(photos, options))
  }

  /// Returns the images that pass the filter, up to the limit. No headers are read after the last one.
  private func chosen(
    _ photos: [PhotoAsset], _ options: PhotoFetchOptions
  ) async throws(PhotoLibraryError) -> [PhotoAsset] {
    let limit = options.limit ?? .max
    var chosen: [PhotoAsset] = []
    var rest = photos[...]
    while chosen.count < limit, !rest.isEmpty {
      let batch = rest.prefix(min(64, max(limit - chosen.count, 1)))
      rest = rest.dropFirst(batch.count)
      for photo in try await withHeaders(Array(batch))
      where photo.header != nil && chosen.count < limit && options.predicate?(photo) ?? true {
        chosen.append(photo)
      }
    }
    return chosen
  }

  // MARK: Names

  /// Returns the paths of the files relative to the folder, in no particular order.
  private func names(includesHidden: Bool) throws(PhotoLibraryError) -> [String] {
    var names: [String] = []
    var folders = [""]
    while let folder = folders.popLast() {
      let path = directory.appending(FilePath(folder).components)
      do {
        for entry in try DirectoryEntries(path) where includesHidden || !entry.name.hasPrefix(".") {
          let name = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
          switch entry.kind {
          case .file: names.append(name)
          case .folder: if includesSubfolders { folders.append(name) }
          case .other: break
          }
        }
      } catch {
        // A subfolder that disappears or is not readable affects only its own images.
        if folder.isEmpty { throw PhotoLibraryError(error, directory) }
      }
    }
    return names
  }

  // MARK: Headers

  private func withHeaders(_ photos: [PhotoAsset]) async throws(PhotoLibraryError) -> [PhotoAsset] {
    var photos = photos
    var missing: [Int] = []
    headers.withLock { headers in
      for index in photos.indices where photos[index].header == nil {
        if let known = headers[photos[index].name], known.file == photos[index].file {
          photos[index].header = known.header
        } else {
          missing.append(index)
        }
      }
    }
    let reading = OrderedResults<PhotoAsset.Header?, Never>(
      of: missing.map { photos[$0] }, concurrency: 2 * ProcessInfo.processInfo.activeProcessorCount
    ) { await self.header(of: $0) }
    for await item in reading where !Task.isCancelled {
      let (index, header) = (missing[item.index], item.result.get())
      photos[index].header = header
      headers.withLock { $0[photos[index].name] = (photos[index].file, header) }
    }
    if Task.isCancelled { throw .cancelled }
    return photos
  }

  /// Returns the header; nil if the file is no readable image.
  private func header(of photo: PhotoAsset) async -> PhotoAsset.Header? {
    let source = ImageSource.file(photo.path)
    guard (try? source.format()) != nil, let info = try? await cropper.info(of: source) else { return nil }
    return PhotoAsset.Header(
      format: info.format, size: info.size, orientation: info.orientation, captureDate: info.captureDate)
  }

  private func forgetAll(but photos: [PhotoAsset]) {
    let names = Set(photos.map(\.name))
    headers.withLock { headers in headers = headers.filter { names.contains($0.key) } }
  }

  /// The number of cached headers.
  var knownHeaders: Int { headers.withLock { $0.count } }
}

/// The reason why a folder could not be listed.
public enum PhotoLibraryError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
  /// The folder does not exist.
  case notFound(FilePath)
  /// The system denies access.
  case accessDenied(FilePath)
  /// The path is a file.
  case notAFolder(FilePath)
  /// The folder cannot be read, with the system's reason.
  case unreadable(FilePath, reason: String)
  /// The task was cancelled.
  case cancelled

  init(_ error: Errno, _ path: FilePath) {
    self =
      switch error {
      case .noSuchFileOrDirectory: .notFound(path)
      case .permissionDenied, .notPermitted: .accessDenied(path)
      case .notDirectory: .notAFolder(path)
      default: .unreadable(path, reason: "\(error)")
      }
  }

  /// The ``description`` with a period; it begins with the folder's path.
  public var errorDescription: String? { "\(self)." }

  public var description: String {
    switch self {
    case .notFound(let path): "\(path): the folder does not exist"
    case .accessDenied(let path): "\(path): the folder may not be read (check its permissions)"
    case .notAFolder(let path): "\(path): the file is not a folder"
    case .unreadable(let path, let reason): "\(path): the folder cannot be read: \(reason)"
    case .cancelled: "the request was cancelled"
    }
  }
}
