import FoundationEssentials
import Hummingbird

/// The playground: a page that tries this server's URLs on a folder's images, or on the client's own.
struct Playground: Sendable {
  let live: LiveSettings
  let body: PageBody

  func addRoutes(to group: PageRoutes) {
    group.get("/") { _, _ in .file(PackageResources.playground_html, "text/html") }
    group.get("playground/page.js") { _, _ in .script(Self.script) }
    group.get("playground/facts") { _, _ in .json(Self.facts(live.value)) }
    group.get("playground/images") { request, context in try await images(request, context) }
    group.post("playground/sign") { request, context in try await sign(request, context) }
  }

  private static let script = ReportFiles.basics(and: [
    PackageResources.requests_js, PackageResources.snippets_js, PackageResources.image_js, PackageResources.results_js,
    PackageResources.page_js,
  ])

  // MARK: Facts

  /// Returns everything that the page's controls are made from.
  private static func facts(_ settings: Settings) -> JSONObject {
    let options: [JSONObject] = URLParameter.all.map { parameter in
      [
        "name": parameter.name, "help": parameter.help, "values": parameter.choices,
        "least": parameter.range?.lowerBound, "most": parameter.range?.upperBound, "longest": parameter.longest,
      ]
    }
    return [
      "presets": OwnURL.presets, "documents": OwnURL.documents, "formats": OwnURL.formats, "options": options,
      "largestSide": settings.largestSide, "largestBody": settings.bodyLimit, "uploads": settings.uploads,
      "hasFolder": !settings.folder.isEmpty,
      // Whether URLs get a signature, and whether those without one are accepted.
      "signs": !settings.signingKeys.isEmpty, "unsafe": settings.unsafe,
    ]
  }

  private func images(_ request: Request, _ context: CallContext) async throws(ServiceError) -> Response {
    let settings = live.value
    guard !settings.folder.isEmpty else { return .json(["images": [String](), "isCut": false]) }
    let text = request.uri.queryParameters["q"].map { String($0.prefix(200)) } ?? ""
    let folder = FolderOrigin(root: settings.folder, limit: settings.bodyLimit)
    let listing = try await folder.images(matching: text)
    return .json(["images": listing.images, "isCut": listing.isCut])
  }

  // MARK: Signatures

  private struct Unsigned: Decodable { var urls: [String] }
  /// Upper bound of the URLs in one request.
  static let mostURLs = 100

  /// Signs URLs of images with the first key. The key never leaves the server.
  private func sign(_ request: Request, _ context: CallContext) async throws(ServiceError) -> Response {
    let bytes = try await body.json(request, context, limit: 256 << 10)
    guard let wanted = try? JSONDecoder().decode(Unsigned.self, from: Data(bytes)), wanted.urls.count <= Self.mostURLs
    else { throw .invalidQuery("the body must be {\"urls\": […]} with up to \(Self.mostURLs) URLs") }
    let settings = live.value
    var urls: [String] = []
    for url in wanted.urls { urls.append(try Self.signed(url, settings)) }
    return .json(["urls": urls])
  }

  private static func signed(_ url: String, _ settings: Settings) throws(ServiceError) -> String {
    let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let query = parts.count > 1 ? parts[1] : ""
    guard parts.count == 2, OwnURL.prefixes.contains(where: parts[0].hasPrefix), url.utf8.count <= 8_192,
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }),
      !query.split(separator: "&").contains(where: { $0.hasPrefix("sig=") })
    else { throw .invalidQuery("a URL to sign is like /crop/avatar/512.webp?src=photo.jpg, without a signature") }
    guard let key = settings.signingKeys.first else { return url }
    let signature = Signature.own(of: url, key: key)
    let signed = query.isEmpty ? "sig=\(signature)" : "\(query)&sig=\(signature)"
    // Refuses URLs that the server would refuse.
    let hasBody = !query.split(separator: "&").contains { $0.hasPrefix("src=") }
    _ = try OwnURL(path: parts[0], query: signed, settings: settings, hasBody: hasBody).request()
    return "\(parts[0])?\(signed)"
  }
}
