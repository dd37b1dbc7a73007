import Glibc
import SystemPackage

extension Settings {
  /// The reasons why the server could serve no image with these settings; empty if it can.
  var faults: [String] {
    // A server for a review needs no images of its own.
    guard review.isEmpty || !given.isDisjoint(with: ["folder", "hosts", "s3-endpoint"]) else { return [] }
    return [keyFault, originFault, folderFault].compactMap(\.self)
  }

  private var keyFault: String? {
    guard thumborKeys.isEmpty, signingKeys.isEmpty, !unsafe else { return nil }
    return "no signing key is set, so every request would be refused (set signing-key or thumbor-key, or unsafe)"
  }

  /// The missing source. Uploads count as one only if the operator asked for them.
  private var originFault: String? {
    guard folder.isEmpty, hosts.isEmpty, s3Endpoint.isEmpty, !(uploads && given.contains("uploads")) else { return nil }
    return
      "no image source is set (set folder, hosts or s3-endpoint, or write uploads: true to serve uploads alone)"
  }

  private var folderFault: String? {
    guard !folder.isEmpty else { return nil }
    let file = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file < 0 else {
      close(file)
      return nil
    }
    return "\(folder): the folder cannot be read: \(Errno(rawValue: errno)) (set folder to one that can)"
  }
}
