import SystemPackage

// Functions that libFuzzer's side calls; see Fuzzer/fuzzer.c.

/// Selected before the first input.
nonisolated(unsafe) private var chosen: FuzzTarget?

@c(facecrop_fuzz_choose) public func chooseTarget(_ name: UnsafePointer<CChar>) -> Bool {
  unsafe chosen = FuzzTarget(rawValue: String(cString: name))
  return unsafe chosen != nil
}

@c(facecrop_fuzz_run) public func runTarget(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  do throws(Finding) {
    try unsafe chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  } catch {
    fatalError("\(error)")
  }
}

@c(facecrop_fuzz_write_seeds) public func writeSeeds(_ folder: UnsafePointer<CChar>) {
  do {
    guard let target = unsafe chosen else { return }
    for (number, seed) in try target.seeds().enumerated() {
      try unsafe write(seed, to: "\(String(cString: folder))/seed-\(number)")
    }
  } catch {
    fatalError("\(error)")
  }
}

private func write(_ bytes: [UInt8], to path: String) throws {
  let file = try FileDescriptor.open(
    FilePath(path), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupRead, .otherRead])
  try file.closeAfter { _ = try file.writeAll(bytes) }
}
