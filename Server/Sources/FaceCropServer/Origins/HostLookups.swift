import Foundation
import Glibc
import Synchronization

/// Lookups of host names. Each has a thread of its own, because a name server may stay silent for longer than any
/// deadline. Equal lookups share one, which goes on if its callers give up.
final class HostLookups: Sendable {
  /// An address as text, and its 4 or 16 bytes.
  typealias Address = (text: String, bytes: [UInt8])

  private let most: Int
  private let lookUp: @Sendable (String) -> [Address]
  private let running = Mutex<[String: Task<[Address], Never>]>([:])

  static let shared = HostLookups()

  /// Creates lookups with an upper bound of those at once.
  init(most: Int = 64, lookUp: @escaping @Sendable (String) -> [Address] = HostLookups.systemAddresses) {
    (self.most, self.lookUp) = (most, lookUp)
  }

  /// Returns a host's addresses; none for an unknown host. Throws ``ServiceError/busy`` if too many lookups run, and
  /// ``ServiceError/hungUp`` as soon as the caller is cancelled.
  func addresses(of host: String) async throws(ServiceError) -> [Address] {
    let lookup = running.withLock { running in
      if running[host] == nil, running.count < most { running[host] = Task { await find(host) } }
      return running[host]
    }
    guard let lookup else { throw .busy }
    let (answers, sender) = AsyncStream.makeStream(of: [Address].self)
    Task {
      sender.yield(await lookup.value)
      sender.finish()
    }
    // It ends at once for a cancelled caller.
    for await found in answers { return found }
    throw .hungUp
  }

  private func find(_ host: String) async -> [Address] {
    let found = await withCheckedContinuation { continuation in
      Thread.detachNewThread { [lookUp] in continuation.resume(returning: lookUp(host)) }
    }
    running.withLock { $0[host] = nil }
    return found
  }

  private static func systemAddresses(of host: String) -> [Address] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var found: [Address] = []
    var next = unsafe list
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ai_next
      guard let address = unsafe entry.ai_addr else { continue }
      // The places of sin_addr and sin6_addr (ip(7), ipv6(7)).
      guard let place = unsafe [AF_INET: 4..<8, AF_INET6: 8..<24][entry.ai_family] else { continue }
      let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))[place])
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let status = unsafe getnameinfo(
        address, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      if status == 0 {
        found.append((String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self), bytes))
      }
    }
    return found
  }
}
