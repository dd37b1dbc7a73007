import FaceCrop
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FaceCropServer

/// Sources of images, and sources that are refused.
struct OriginTests {
  private func lease() -> BodyMemory.Lease { BodyMemory.Lease(of: BodyMemory(budget: 1 << 20)) }

  /// Descriptors and memory come back, so a client may retry.
  @Test func aLackOfDescriptorsPasses() {
    for code in [EMFILE, ENFILE, ENOMEM] {
      let error = ServiceError("the folder cannot be read", code)
      #expect(error.status == .serviceUnavailable && error.kind == "overloaded")
      #expect(error.response.headers[.retryAfter] != nil)
    }
    #expect(ServiceError("the folder cannot be read", EIO).status == .internalServerError)
  }

  @Test func aFolderHasNoWayOut() async throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "origin-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    let inside = root.appending(path: "in")
    try FileManager.default.createDirectory(at: inside.appending(path: "sub"), withIntermediateDirectories: true)
    for name in ["in/a.jpg", "in/sub/b c.jpg", "in/.hidden.jpg", "out.jpg"] {
      try Data("\(name)".utf8).write(to: root.appending(path: name))
    }
    for (link, target) in [("in/link.jpg", "../out.jpg"), ("in/up", ".."), ("in/own.jpg", "a.jpg")] {
      try FileManager.default.createSymbolicLink(
        atPath: root.appending(path: link).path, withDestinationPath: target)
    }
    let made = unsafe mkfifo(inside.appending(path: "pipe.jpg").path, 0o600)
    #expect(made == 0)
    let folder = FolderOrigin(root: inside.path, limit: 100)
    for name in ["a.jpg", "sub/b c.jpg"] {
      let found = try await folder.find(name)
      #expect(try await found.read(lease()).bytes == Array("in/\(name)".utf8))
      #expect(found.isCertain)
    }
    for name in [
      "../out.jpg", "sub/../a.jpg", "..", ".", "", "/a.jpg", "a.jpg/", "sub//b c.jpg", "./a.jpg", ".hidden.jpg",
      "link.jpg", "own.jpg", "up/out.jpg", "sub", "pipe.jpg", "none.jpg", "a.jpg/x", "/etc/passwd", "sub/",
      String(repeating: "n", count: 300), "..\\out.jpg", "%2e%2e/out.jpg", "a.jpg\u{0}",
    ] {
      // The client cannot tell the reasons apart.
      let error = await #expect(throws: ServiceError.self, "\(name)") { try await folder.find(name) }
      #expect(error?.status == .notFound && error?.message == ServiceError.notFound.message, "\(name)")
      #expect((error?.reason == nil) == ["none.jpg", "%2e%2e/out.jpg"].contains(name), "\(name)")
    }
    // Another file with the same name is another version.
    let before = try await folder.find("a.jpg").version
    try Data("other".utf8).write(to: inside.appending(path: "a.jpg"))
    #expect(try await folder.find("a.jpg").version != before)
    await #expect(throws: ServiceError.self) { try await FolderOrigin(root: inside.path, limit: 3).find("a.jpg") }
  }

  /// A new file may get the number of a removed one, its size and its time.
  @Test func aFileOfTheSameTimeIsAnotherVersion() async throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "origin-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    let file = root.appending(path: "a.jpg")
    let folder = FolderOrigin(root: root.path, limit: 100)
    var (versions, numbers): (Set<String>, Set<ino_t>) = ([], [])
    for text in ["one", "two"] {
      try Data(text.utf8).write(to: file)
      let times = [timespec(tv_sec: 1_790_000_000, tv_nsec: 5), timespec(tv_sec: 1_790_000_000, tv_nsec: 5)]
      #expect(unsafe utimensat(AT_FDCWD, file.path, times, 0) == 0)
      var status = stat()
      #expect(unsafe stat(file.path, &status) == 0)
      numbers.insert(status.st_ino)
      versions.insert(try await folder.find("a.jpg").version)
      // The clock of the file system has steps of up to 10 ms.
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(numbers.count == 1 && versions.count == 2)
  }

  /// The request has exactly the host that was checked.
  @Test(arguments: [
    ("https://CDN.Example.com/A.jpg?Q=1#f", "https://cdn.example.com/A.jpg?Q=1", "cdn.example.com"),
    ("HTTP://me:pw@CDN.example.com:8080", "http://cdn.example.com:8080", "cdn.example.com:8080"),
    ("http://[::FFFF:1.2.3.4]:81/a", "http://[::ffff:1.2.3.4]:81/a", "[::ffff:1.2.3.4]:81"),
    ("https://h/a%2Fb//c;d/%C3%A4?x=%26&y=/%2F?z", "https://h/a%2Fb//c;d/%C3%A4?x=%26&y=/%2F?z", "h"),
    ("https://cdn.example.com./a", "https://cdn.example.com./a", "cdn.example.com."),
    ("http://h/?", "http://h/?", "h"),
    ("http://XN--BCHER-KVA.example/", "http://xn--bcher-kva.example/", "xn--bcher-kva.example"),
  ])
  func requestsHaveTheCheckedHost(url: String, wanted: String, authority: String) throws {
    let url = try #require(URL(string: url))
    #expect(HostName.checked(url)?.absoluteString == wanted)
    #expect(HostName.authority(of: url) == authority)
  }

  @Test(arguments: [
    "http://%43dn.example.com/", "http://a%00.example.com/", "http://a_b/", "http:///a", "file:///a", "a/b",
  ])
  func hostsThatCannotBeCheckedGetNoRequest(url: String) {
    #expect(URL(string: url).flatMap(HostName.checked) == nil)
  }

  // MARK: Lookups of names

  /// A name server that answers when it is told to.
  private final class NameServer: Sendable {
    let isOpen = Mutex(false)
    let asked = Mutex<[String]>([])

    func answer(_ name: String) -> [HostLookups.Address] {
      asked.withLock { $0.append(name) }
      while !isOpen.withLock({ $0 }) { usleep(1_000) }
      return [("192.0.2.1", [192, 0, 2, 1])]
    }
  }

  /// Lookups of a silent name server are shared and bounded, hold nobody longer than it waits, and no other work.
  @Test(.timeLimit(.minutes(1))) func lookupsHoldNobody() async throws {
    let server = NameServer()
    defer { server.isOpen.withLock { $0 = true } }
    let lookups = HostLookups(most: 40) { server.answer($0) }
    for _ in 0..<3 {
      let callers = (0..<4).map { _ in Task { try await lookups.addresses(of: "a.example") } }
      try await eventually("one asks") { server.asked.withLock { $0 } == ["a.example"] }
      for caller in callers { caller.cancel() }
      for caller in callers { await #expect(throws: ServiceError.hungUp) { try await caller.value } }
    }
    let others = (1..<40).map { number in Task { try await lookups.addresses(of: "\(number).example") } }
    try await eventually("all threads look up") { server.asked.withLock { $0.count } == 40 }
    await #expect(throws: ServiceError.busy) { try await lookups.addresses(of: "late.example") }
    // Files of folders, and readiness, are read meanwhile.
    await #expect(throws: ServiceError.notFound) { try await FolderOrigin(root: "/", limit: 1).find("none.jpg") }
    let waiting = Task { try await lookups.addresses(of: "a.example") }
    server.isOpen.withLock { $0 = true }
    for task in others + [waiting] { #expect(try await task.value.map { $0.text } == ["192.0.2.1"]) }
    #expect(try await lookups.addresses(of: "late.example").count == 1)
    #expect(server.asked.withLock { $0.count { $0 == "a.example" } } == 1)
  }

  // MARK: Clients

  /// A host gets at most half of the fetches, and others a part of the rest.
  @Test func aHostGetsAShareOfTheFetches() throws {
    let clients = FetchClients(mostFetches: 16)
    func enter(_ host: String) -> Int {
      (0..<20).count { _ in (try? clients.enter(host)) != nil }
    }
    let shares = ["a", "b", "c", "d", "e", "f"].map(enter)
    #expect(shares == [8, 4, 2, 1, 1, 0])
    for _ in 0..<8 { clients.leave("a") }
    let share = enter("f")
    #expect(share == 4)
  }

  @Test(arguments: [
    ("8.8.8.8", true), ("1.1.1.1", true), ("172.15.0.1", true), ("172.32.0.1", true), ("100.63.0.1", true),
    ("192.167.255.255", true), ("198.20.0.1", true), ("223.255.255.255", true),
    ("10.0.0.1", false), ("127.0.0.1", false), ("127.255.0.1", false), ("172.16.0.1", false), ("172.31.255.255", false),
    ("192.168.1.1", false), ("169.254.169.254", false), ("100.64.0.1", false), ("0.0.0.0", false), ("224.0.0.1", false),
    ("255.255.255.255", false), ("198.18.0.1", false), ("198.19.0.1", false), ("192.0.0.1", false),
    ("2606:4700::1111", true), ("2a00:1450:4001::200e", true), ("64:ff9b::808:808", true), ("2002:808:808::1", true),
    ("::1", false), ("::", false), ("fe80::1", false), ("fc00::1", false), ("fd12::1", false), ("ff02::1", false),
    ("::ffff:127.0.0.1", false), ("::ffff:10.0.0.1", false), ("::ffff:8.8.8.8", true), ("64:ff9b::7f00:1", false),
    ("2002:7f00:1::1", false), ("2001:db8::1", false), ("2001::1", false), ("::127.0.0.1", false),
    ("64:ff9b:1::1", false),
    ("3fff::1", false), ("5f00::1", false),
  ])
  func addresses(text: String, isPublic: Bool) {
    var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
    let status = unsafe inet_pton(text.contains(":") ? AF_INET6 : AF_INET, text, &bytes)
    #expect(status == 1)
    #expect(AddressRules.isPublic(bytes) == isPublic)
  }

  /// Every notation of a private address is recognized.
  @Test(arguments: [
    "127.0.0.1", "localhost", "2130706433", "0x7f000001", "017700000001", "127.1", "0", "::1", "::ffff:127.0.0.1",
    "169.254.169.254",
  ])
  func privateHosts(host: String) async throws {
    let error = await #expect(throws: ServiceError.self) { try await Fetcher.address(of: host, allowsPrivate: false) }
    #expect(error?.kind == "forbidden" && error?.message.contains("private network") == true)
    let address = try await Fetcher.address(of: host, allowsPrivate: true)
    #expect(address.contains(".") || address.contains(":"))
  }

  @Test(arguments: [
    ("https://cdn.example.com/a.jpg", true), ("http://cdn.example.com/a.jpg", true),
    ("https://CDN.example.com/a", true),
    ("https://a.images.example.org/a", true), ("http://local.test:8080/a", true),
    ("https://cdn.example.com:443/a", true),
    ("https://images.example.org/a", false), ("https://evil.com/cdn.example.com", false),
    ("https://cdn.example.com.evil.com/a", false), ("https://evilcdn.example.com/a", false),
    ("https://cdn.example.com:8443/a", false), ("http://local.test/a", false), ("ftp://cdn.example.com/a", false),
    ("file:///etc/passwd", false), ("https://cdn.example.com@evil.com/a", false),
    ("https://evil-images.example.org/a", false), ("https://evil.com%00.images.example.org/a", false),
    ("https://evil.com%2F.images.example.org/a", false), ("https://%61.images.example.org/a", false),
    ("https://a%20b.images.example.org/a", false), ("https://a_b.images.example.org/a", false),
  ])
  func hosts(url: String, isAllowed: Bool) throws {
    let hosts = ["cdn.example.com", "*.images.example.org", "local.test:8080"]
    #expect(WebOrigin.isAllowed(try #require(URL(string: url)), by: hosts) == isAllowed)
  }

  /// Only names of letters, digits, dots and hyphens, and literal addresses, are accepted.
  @Test(arguments: [
    ("example.com", true), ("EXAMPLE-1.com", true), ("127.0.0.1", true), ("::1", true), ("::ffff:1.2.3.4", true),
    ("", false), ("a\u{0}.example.com", false), ("a b", false), ("a/b", false), ("a_b", false), ("a:b", false),
    ("fe80::1%eth0", false), ("bücher.example", false), ("a%00", false), (String(repeating: "a", count: 254), false),
  ])
  func hostNames(host: String, isValid: Bool) {
    #expect(HostName.isValid(host) == isValid)
  }

  /// Such a host is never compared with a list or resolved.
  @Test func hostsThatSystemsReadInDifferentWaysAreRefused() {
    let settings = Settings.patient { $0.hosts = ["*.example.com"] }
    let origin = WebOrigin(settings: settings, fetcher: Fetcher(timeout: .seconds(1), limit: 1))
    for source in ["http://localhost%00.example.com/a.jpg", "http://a%2eb.example.com/a.jpg", "http:///a.jpg"] {
      let error = #expect(throws: ServiceError.self) { try origin.find(source) }
      #expect(error?.status == .badRequest, "\(source)")
    }
  }

  /// A client that hangs up is no fault of the server.
  @Test func aClientThatHangsUpIsNoFault() async throws {
    let folder = FolderOrigin(root: "/", limit: 100)
    let error = await Task { () async -> ServiceError? in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      do throws(ServiceError) {
        _ = try await folder.find("etc/passwd")
        return nil
      } catch {
        return error
      }
    }.value
    #expect(error == .hungUp)
  }

  /// The example of "Signature Calculations for the Authorization Header" in Amazon's reference, without its range.
  @Test func storesAreAskedWithASignature() throws {
    let signer = SignatureV4(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", region: "us-east-1",
      service: "s3")
    let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com/test.txt"))
    let time = Date(timeIntervalSince1970: 1_369_353_600)
    let headers = signer.headers(forGetting: url, at: time)
    #expect(headers.first(name: "x-amz-date") == "20130524T000000Z")
    // Computed by botocore 1.43.11, S3SigV4Auth.
    #expect(
      headers.first(name: "Authorization")?.hasSuffix(
        "Signature=df548e2ce037944d03f3e68682813b093763996d597cf890ca3d9037fd231eb4") == true)
    #expect(PercentCoding.encoded("a b/ü~.jpg", keeping: "/") == "a%20b/%C3%BC~.jpg")
  }
  /// The client would send an IPv6 address and a usual port in another way than they are signed.
  @Test(arguments: [
    ("http://[::1]:9000/b/a", "[::1]:9000"), ("https://s3.example.com:443/b/a", "s3.example.com:443"),
    ("https://s3.example.com/b/a", "s3.example.com"),
  ])
  func theHostIsSentAsItIsSigned(url: String, host: String) throws {
    let signer = SignatureV4(accessKey: "a", secretKey: "b", region: "c", service: "s3")
    #expect(signer.headers(forGetting: try #require(URL(string: url))).first(name: "Host") == host)
  }
}
