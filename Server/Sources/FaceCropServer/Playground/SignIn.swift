import Hummingbird

/// The routes that the sign-in of the playground and of the review needs.
struct SignIn: Sendable {
  let live: LiveSettings
  let body: PageBody
  let keeper: PlaygroundGuard

  func addRoutes(to group: PageRoutes) {
    group.get("playground/icon.svg") { _, _ in .file(PackageResources.icon_svg, "image/svg+xml") }
    group.get("playground/playground.css") { _, _ in .file(PackageResources.playground_css, "text/css") }
    group.post("playground/sign-in") { request, context in try await signIn(request, context) }
    // Without a playground, the first page is the review.
    if !live.value.playground {
      group.get("/") { _, _ in Response(status: .seeOther, headers: [.location: "/review"]) }
    }
  }

  private func signIn(_ request: Request, _ context: CallContext) async throws(ServiceError) -> Response {
    let bytes = try await body.read(request, context, limit: 4 << 10)
    let text = String(decoding: bytes, as: UTF8.self)
    let token = text.split(separator: "&").first { $0.hasPrefix("token=") }
      .flatMap { PercentCoding.decoded($0.dropFirst("token=".count).replacing("+", with: " ")) }
    guard try keeper.isToken(token ?? "", context) else {
      return Response(status: .seeOther, headers: [.location: "/?wrong"])
    }
    return Response(status: .seeOther, headers: [.location: "/", .setCookie: keeper.setCookie(request)])
  }
}
