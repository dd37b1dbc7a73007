public import FoundationEssentials
internal import Glibc
internal import Synchronization
public import SystemPackage

/// The pictures in a folder: references, of which nothing but the header is ever read, and that only where an order, a
/// predicate or a caller needs it.
///
/// ```swift
/// let library = PhotoLibrary(directory: "/srv/photos")
/// let newest = try await library.fetchAssets(PhotoFetchOptions(limit: 20))
/// for photo in newest { print(photo.path, photo.date) }
/// ```
///
/// What was read of a header is kept as long as its file stays as it is: another fetch reads only those that are new or changed.
public final class PhotoLibrary: Sendable {
  /// The folder.
  public let directory: FilePath
  /// Whether folders in it belong to it, those behind symbolic links not.
  public let includesSubfolders: Bool
  private let cropper: FaceCropper
  private let headers = Mutex<[String: (file: FileIdentity, header: PhotoAsset.Header?)]>([:])

  /// Reads nothing yet.
  ///
  /// - Parameters:
  ///   - directory: The folder.
  ///   - includesSubfolders: Default false.
  ///   - limits: What a header may say.
  public init(directory: FilePath, includesSubfolders: Bool = false, limits: Limits = Limits()) {
    self.directory = directory
    self.includesSubfolders = includesSubfolders
    cropper = FaceCropper(limits: limits)
  }

  /// The same by a path in a string.
  public convenience init(directory: String, includesSubfolders: Bool = false, limits: Limits = Limits()) {
    self.init(directory: FilePath(directory), includesSubfolders: includesSubfolders, limits: limits)
  }

  /// The pictures that are in the folder now. A file is one if its first bytes say so, whatever its name; one that goes
  /// meanwhile is left out.
  ///
  /// - Throws: ``PhotoLibraryError/notFound(_:)``, ``PhotoLibraryError/accessDenied(_:)``, ``PhotoLibraryError/notAFolder(_:)``,
  ///   ``PhotoLibraryError/unreadable(_:reason:)`` or ``PhotoLibraryError/cancelled``.
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
    switch options.sortOrder {
    case .name: break
    case .newestFirst, .oldestFirst:
      photos = try await withHeaders(photos)
      let isNewestFirst = options.sortOrder == .newestFirst
      // By name where the dates are equal.
      photos = photos.enumerated().sorted { one, other in
        let (first, second) = (one.element.date, other.element.date)
        return first == second ? one.offset < other.offset : (first > second) == isNewestFirst
      }.map(\.element)
    }
    return PhotoFetchResult(assets: try await chosen(photos, options))
  }

  /// Those that are pictures and wanted, as many as are wanted: behind the last one no header is read.
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

  /// The names of the files, below the folder, in no order.
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
        // A folder in it that goes, or may not be read, takes only its own pictures along.
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
    let read = await withTaskGroup(of: (Int, PhotoAsset.Header?).self) { [photos, missing] group in
      var waiting = missing[...]
      var read: [(Int, PhotoAsset.Header?)] = []
      func start(_ count: Int) {
        for index in waiting.prefix(count) {
          group.addTask { (index, await self.header(of: photos[index])) }
        }
        waiting = waiting.dropFirst(count)
      }
      start(2 * ProcessInfo.processInfo.activeProcessorCount)
      for await one in group {
        read.append(one)
        if !Task.isCancelled { start(1) }
      }
      return read
    }
    if Task.isCancelled { throw .cancelled }
    headers.withLock { headers in
      for (index, header) in read {
        photos[index].header = header
        headers[photos[index].name] = (photos[index].file, header)
      }
    }
    return photos
  }

  /// Nil for what is no picture that can be read.
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

  /// How many headers are known.
  var knownHeaders: Int { headers.withLock { $0.count } }
}

/// Why a folder's pictures could not be listed.
public enum PhotoLibraryError: Error, Hashable, Sendable {
  /// There is no such folder.
  case notFound(FilePath)
  /// The system does not allow it to be read.
  case accessDenied(FilePath)
  /// It is a file.
  case notAFolder(FilePath)
  /// It cannot be read, for the system's reason.
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
}

extension PhotoLibraryError: LocalizedError {
  /// The ``description`` with a period; it begins with the folder's path.
  public var errorDescription: String? { "\(self)." }
}

extension PhotoLibraryError: CustomStringConvertible {
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
