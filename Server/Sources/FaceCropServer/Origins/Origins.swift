import FaceCrop

/// Where pictures come from: a folder, hosts, a store that speaks S3. Which one, the source's name says.
struct Origins: Sendable {
  private let folder: FolderOrigin?
  private let web: WebOrigin?
  private let store: StoreOrigin?

  init(_ settings: Settings, fetcher: Fetcher) {
    folder = settings.folder.isEmpty ? nil : FolderOrigin(root: settings.folder, limit: settings.bodyLimit)
    web = settings.hosts.isEmpty ? nil : WebOrigin(settings, fetcher: fetcher)
    store = settings.s3Endpoint.isEmpty ? nil : StoreOrigin(settings, fetcher: fetcher)
  }

  /// A picture that was found and not yet read.
  struct Found: Sendable {
    /// Names it and its present state. Of a picture elsewhere, whose state nobody knows without asking, its name alone.
    let version: String
    /// Whether the version says when the picture has changed.
    let isCertain: Bool
    /// Reads it. The lease counts what is held.
    let read: @Sendable (BodyMemory.Lease) async throws(ServiceError) -> [UInt8]
  }

  /// - Throws: ``ServiceError/notFound``, ``ServiceError/forbidden(_:)``, ``ServiceError/invalidQuery(_:)``.
  func find(_ source: String) async throws(ServiceError) -> Found {
    if source.hasPrefix("http://") || source.hasPrefix("https://") {
      guard let web else { throw .forbidden("this server fetches no images from hosts (see the setting hosts)") }
      return try web.find(source)
    }
    if source.hasPrefix("s3://") {
      guard let store else {
        throw .forbidden("this server reads no images from a store (see the setting s3-endpoint)")
      }
      return try store.find(source)
    }
    guard let folder else { throw .forbidden("this server reads no images from a folder (see the setting folder)") }
    return try await folder.find(source)
  }
}
