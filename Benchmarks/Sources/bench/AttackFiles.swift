import SystemPackage
import TestSupport

/// Files that are made to be expensive, for `make attacks`.
enum AttackFiles {
  static func write(into folder: String) throws {
    for cost in HostileCost.all {
      let file = try FileDescriptor.open(
        FilePath(folder).appending(cost.name), .writeOnly, options: [.create, .truncate],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try file.closeAfter { _ = try file.writeAll(cost.file()) }
    }
  }
}
