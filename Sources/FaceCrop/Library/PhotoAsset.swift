public import FoundationEssentials
public import SystemPackage

/// A picture in a ``PhotoLibrary``: a reference.
public struct PhotoAsset: Sendable, Identifiable {
  /// Its path below the library's folder.
  public let name: String
  /// Where the file is.
  public let path: FilePath
  let file: FileIdentity
  /// Nil until it was read, and of what is no picture.
  var header: Header?

  struct Header: Hashable, Sendable {
    var format: ImageFormat
    var size: PixelSize
    var orientation: Orientation
    var captureDate: Date?
  }

  init(name: String, path: FilePath, file: FileIdentity) {
    self.name = name
    self.path = path
    self.file = file
  }

  /// Stays the same from run to run, as long as the file has its name.
  public var id: ImageAsset.ID { ImageAsset.ID(rawValue: "photo:\(name)") }
  /// The picture as requests name it.
  public var asset: ImageAsset { .file(path, id: id) }

  /// Bytes of the file.
  public var fileBytes: Int { file.bytes }
  /// When the file was last written to.
  public var modificationDate: Date {
    Date(timeIntervalSince1970: Double(file.seconds) + Double(file.nanoseconds) / 1e9)
  }

  /// What its first bytes say it is.
  public var format: ImageFormat { header!.format }
  /// The picture's size as displayed, in pixels.
  public var size: PixelSize { header!.size }
  /// How the stored pixels are turned for display.
  public var orientation: Orientation { header!.orientation }
  /// When it was taken, by the camera's clock; see ``ImageInfo/captureDate``.
  public var captureDate: Date? { header?.captureDate }
  /// When it was taken or, where that is not said, when the file was last changed.
  public var date: Date { captureDate ?? modificationDate }
}

extension PhotoAsset: Hashable {
  /// The same file, unchanged.
  public static func == (one: PhotoAsset, other: PhotoAsset) -> Bool {
    one.name == other.name && one.file == other.file
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}

/// Which of a library's pictures, and in which order.
public struct PhotoFetchOptions: Sendable {
  /// Which comes first.
  public enum SortOrder: Hashable, Sendable {
    /// The order of ``PhotoAsset/date``: the header of every file is read.
    case newestFirst, oldestFirst
    /// The order of ``PhotoAsset/name``, byte by byte: of no more files than are asked for the header is read.
    case name
  }

  /// Default `newestFirst`.
  public var sortOrder: SortOrder
  /// The most pictures that are wanted; nil for all. Default nil.
  public var limit: Int?
  /// Whether files and folders whose name begins with a dot are looked at. Default false.
  public var includesHiddenFiles: Bool
  /// Which pictures are wanted; asked in the order. Default all.
  public var predicate: (@Sendable (PhotoAsset) -> Bool)?

  /// Asks by default for all pictures that are not hidden, newest first.
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

/// What a fetch found, as it was then.
public struct PhotoFetchResult: RandomAccessCollection, Hashable, Sendable {
  let assets: [PhotoAsset]

  /// The first place, 0.
  public var startIndex: Int { assets.startIndex }
  /// The number of pictures.
  public var endIndex: Int { assets.endIndex }
  /// The picture at a place in the order that was asked for.
  public subscript(position: Int) -> PhotoAsset { assets[position] }

  /// What an earlier fetch with the same options did not have, had, and had otherwise.
  public func changes(since earlier: PhotoFetchResult) -> Changes {
    let before = Dictionary(uniqueKeysWithValues: earlier.map { ($0.id, $0) })
    let now = Set(map(\.id))
    return Changes(
      inserted: filter { before[$0.id] == nil }, removed: earlier.filter { !now.contains($0.id) },
      changed: filter { photo in before[photo.id].map { $0 != photo } ?? false })
  }

  /// What became of a folder between two fetches.
  public struct Changes: Hashable, Sendable {
    /// New, or under a new name.
    public var inserted: [PhotoAsset]
    /// No longer there, or under another name.
    public var removed: [PhotoAsset]
    /// Written to or replaced under the same name; as they are now.
    public var changed: [PhotoAsset]

    /// Whether nothing changed.
    public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && changed.isEmpty }
  }
}
