/// The sources of images: a folder, hosts, or an S3 store. The source's name selects one.
struct Origins: Sendable {
  private let folder: FolderOrigin?
  private let web: WebOrigin?
  private let store: StoreOrigin?

  init(_ settings: Settings, fetcher: Fetcher) {
    folder = settings.folder.isEmpty ? nil : FolderOrigin(root: settings.folder, limit: settings.bodyLimit)
    web = settings.hosts.isEmpty ? nil : WebOrigin(settings: settings, fetcher: fetcher)
    store = settings.s3Endpoint.isEmpty ? nil : StoreOrigin(settings: settings, fetcher: fetcher)
  }

  /// An image that was found but not yet read.
  struct ResolvedImage: Sendable {
    /// A name for the image and its current state; only the name if the state of a remote image is unknown.
    let version: String
    /// Whether the version changes with the image.
    let isCertain: Bool
    /// A function that reads the image; the lease counts its bytes.
    let read: @Sendable (BodyMemory.Lease) async throws(ServiceError) -> Image
  }

  /// The file of an image.
  struct Image: Sendable {
    let bytes: [UInt8]
    /// Whether its host lets shared caches keep it.
    var isStorable = true
  }

  /// Finds an image, or throws ``ServiceError/notFound``, `forbidden` or `invalidQuery`.
  func find(_ source: String) async throws(ServiceError) -> ResolvedImage {
    guard let scheme = Self.scheme(of: source) else {
      guard let folder else { throw .forbidden("this server reads no images from a folder (see the setting folder)") }
      return try await folder.find(source)
    }
    let url = scheme.lowercased() + source.dropFirst(scheme.count)
    switch scheme.lowercased() {
    case "http", "https":
      guard let web else { throw .forbidden("this server fetches no images from hosts (see the setting hosts)") }
      return try web.find(url)
    case "s3":
      guard let store else {
        throw .forbidden("this server reads no images from a store (see the setting s3-endpoint)")
      }
      return try store.find(url)
    default:
      throw .invalidQuery(
        "the image's URL has the scheme \(scheme), which is not supported"
          + " (write https://, http:// or s3://, or a path below the folder)")
    }
  }

  /// Returns the scheme of a URL (RFC 3986, 3.1); nil for a path.
  static func scheme(of source: String) -> String? {
    guard let end = source.firstRange(of: "://")?.lowerBound, let first = source.first, first.isLetter,
      source[..<end].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else { return nil }
    return String(source[..<end])
  }
}
