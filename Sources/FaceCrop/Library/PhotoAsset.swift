public import FoundationEssentials
public import SystemPackage

/// A reference to an image in a ``PhotoLibrary``.
public struct PhotoAsset: Sendable, Identifiable, Hashable {
  /// The path relative to the library's folder.
  public let name: String
  /// The path of the file.
  public let path: FilePath
  let file: FileIdentity
  /// The header; nil before it is read, and for files that are no images.
  var header: Header?

  struct Header: Hashable, Sendable {
    var format: ImageFormat
    var size: PixelSize
    var orientation: Orientation
    var captureDate: Date?
  }

  /// The identifier, stable across runs while the file keeps its name.
  public var id: ImageAsset.ID { ImageAsset.ID(rawValue: "photo:\(name)") }
  /// The asset for image requests.
  public var asset: ImageAsset { .file(path, id: id) }

  /// The size of the file in bytes.
  public var fileBytes: Int { file.bytes }
  /// The time of the last change to the file.
  public var modificationDate: Date {
    Date(timeIntervalSince1970: Double(file.seconds) + Double(file.nanoseconds) / 1e9)
  }

  /// The format, detected from the first bytes.
  public var format: ImageFormat { header!.format }
  /// The image's size as displayed, in pixels.
  public var size: PixelSize { header!.size }
  /// The orientation for display.
  public var orientation: Orientation { header!.orientation }
  /// The capture time by the camera's clock; see ``ImageInfo/captureDate``.
  public var captureDate: Date? { header?.captureDate }
  /// The capture time, or the file's modification time if unknown.
  public var date: Date { captureDate ?? modificationDate }

  /// Returns whether both are the same, unchanged file.
  public static func == (one: PhotoAsset, other: PhotoAsset) -> Bool {
    one.name == other.name && one.file == other.file
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}

/// The filter and order of a fetch.
public struct PhotoFetchOptions: Sendable {
  /// The order of a fetch.
  public enum SortOrder: Hashable, Sendable {
    /// The order of ``PhotoAsset/date``. It reads the header of every file.
    case newestFirst, oldestFirst
    /// The order of ``PhotoAsset/name``, byte by byte. It reads only the headers of the requested files.
    case name
  }

  /// The order. Default `newestFirst`.
  public var sortOrder: SortOrder
  /// The upper bound of images; nil for all. Default nil.
  public var limit: Int?
  /// Whether to include files and folders whose names begin with a dot. Default false.
  public var includesHiddenFiles: Bool
  /// A filter, called in the order of the result. Default nil, which includes all.
  public var predicate: (@Sendable (PhotoAsset) -> Bool)?

  /// Creates options; the defaults give all images that are not hidden, newest first.
  public init(
    sortOrder: SortOrder = .newestFirst, limit: Int? = nil, includesHiddenFiles: Bool = false,
    predicate: (@Sendable (PhotoAsset) -> Bool)? = nil
  ) {
    self.sortOrder = sortOrder
    self.limit = limit
    self.includesHiddenFiles = includesHiddenFiles
    self.predicate = predicate
  }
}

/// A snapshot of a fetch.
public struct PhotoFetchResult: RandomAccessCollection, Hashable, Sendable {
  let assets: [PhotoAsset]

  /// The first index, 0.
  public var startIndex: Int { assets.startIndex }
  /// The number of images.
  public var endIndex: Int { assets.endIndex }
  /// Returns the image at an index.
  public subscript(position: Int) -> PhotoAsset { assets[position] }

  /// Returns the differences from an earlier fetch with the same options.
  public func changes(since earlier: PhotoFetchResult) -> Changes {
    let before = Dictionary(uniqueKeysWithValues: earlier.map { ($0.id, $0) })
    let now = Set(map(\.id))
    return Changes(
      inserted: filter { before[$0.id] == nil }, removed: earlier.filter { !now.contains($0.id) },
      changed: filter { photo in before[photo.id].map { $0 != photo } ?? false })
  }

  /// The changes of a folder between two fetches.
  public struct Changes: Hashable, Sendable {
    /// New or renamed images.
    public var inserted: [PhotoAsset]
    /// Deleted or renamed images.
    public var removed: [PhotoAsset]
    /// Images that were overwritten under the same name, in their current state.
    public var changed: [PhotoAsset]

    /// Whether nothing changed.
    public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && changed.isEmpty }
  }
}
