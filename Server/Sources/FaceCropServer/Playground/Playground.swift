import FaceCrop
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// The playground: a page that tries this server's URLs on a folder's images, or on the client's own.
struct Playground: Sendable {
  let live: LiveSettings
  let bodies: BodyMemory

  func addRoutes(to group: PageRoutes) {
    group.get("/") { _, _ in Self.file(PackageResources.playground_html, "text/html") }
    for (path, file) in Self.scripts { group.get(path) { _, _ in Self.file(file(), "text/javascript") } }
    group.get("playground/facts") { _, _ in try Self.json(Facts(live.value)) }
    group.get("playground/images") { request, context in try await images(request, context) }
    group.post("playground/sign") { request, context in try await sign(request, context) }
  }

  private static let scripts: [(RouterPath, @Sendable () -> [UInt8])] = [
    ("playground/basics.js", { PackageResources.basics_js }),
    ("playground/requests.js", { PackageResources.requests_js }),
    ("playground/snippets.js", { PackageResources.snippets_js }),
    ("playground/image.js", { PackageResources.image_js }),
    ("playground/results.js", { PackageResources.results_js }),
    ("playground/page.js", { PackageResources.page_js }),
  ]

  static func file(_ bytes: [UInt8], _ mediaType: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "\(mediaType); charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  static func json(_ value: some Encodable) throws(ServiceError) -> Response {
    do {
      let data = try JSONEncoder().encode(value)
      return Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    } catch {
      throw .internalFault("the response cannot be written as JSON: \(error)")
    }
  }

  // MARK: Facts

  /// Everything that the page's controls are made from.
  private struct Facts: Encodable {
    struct Option: Encodable {
      var name: String
      var help: String
      var values: [String]?
      var least: Int?
      var most: Int?
      var longest: Int?
    }

    var presets = OwnURL.presets
    var documents = OwnURL.documents
    var formats = OwnURL.formats
    var options: [Option]
    var largestSide: Int
    var largestBody: Int
    var uploads: Bool
    var hasFolder: Bool
    /// Whether URLs get a signature.
    var signs: Bool
    /// Whether URLs without a signature are accepted.
    var unsafe: Bool

    init(_ settings: Settings) {
      options = URLParameter.all.map { parameter in
        var option = Option(name: parameter.name, help: parameter.help)
        switch parameter.values {
        case .choice(let values): option.values = values
        case .number(let range): (option.least, option.most) = (range.lowerBound, range.upperBound)
        case .text(let longest): option.longest = longest
        }
        return option
      }
      (largestSide, largestBody, uploads) = (settings.largestSide, settings.bodyLimit, settings.uploads)
      hasFolder = !settings.folder.isEmpty
      (signs, unsafe) = (!settings.signingKeys.isEmpty, settings.unsafe)
    }
  }

  private func images(_ request: Request, _ context: CallContext) async throws(ServiceError) -> Response {
    let settings = live.value
    guard !settings.folder.isEmpty else { return try Self.json(FolderOrigin.Listing()) }
    let text = request.uri.queryParameters["q"].map { String($0.prefix(200)) } ?? ""
    let folder = FolderOrigin(root: settings.folder, limit: settings.bodyLimit)
    return try Self.json(try await folder.images(matching: text))
  }

  // MARK: Signatures

  private struct Unsigned: Decodable { var urls: [String] }
  private struct Signed: Encodable { var urls: [String] }
  /// Upper bound of the URLs in one request.
  static let mostURLs = 100

  /// Signs URLs of images with the first key. The key never leaves the server.
  private func sign(_ request: Request, _ context: CallContext) async throws(ServiceError) -> Response {
    let bytes = try await PageBody(live: live, bodies: bodies).json(request, context, limit: 256 << 10)
    guard let wanted = try? JSONDecoder().decode(Unsigned.self, from: Data(bytes)), wanted.urls.count <= Self.mostURLs
    else { throw .invalidQuery("the body must be {\"urls\": […]} with up to \(Self.mostURLs) URLs") }
    let settings = live.value
    var urls: [String] = []
    for url in wanted.urls { urls.append(try Self.signed(url, settings)) }
    return try Self.json(Signed(urls: urls))
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
