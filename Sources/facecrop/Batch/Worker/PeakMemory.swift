import SystemPackage

/// The peak memory of this process: VmHWM of proc(5).
enum PeakMemory {
  /// Restarts the measurement. If the kernel does not allow it, the peak remains that of the whole process.
  static func reset() { FileDescriptor.tellKernel("5", in: "/proc/self/clear_refs") }

  /// The peak in bytes; nil if the kernel does not report it.
  static var bytes: Int? {
    guard let status = try? Input.readToEnd(of: "/proc/self/status") else { return nil }
    let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "VmHWM:".utf8) }
    let digits = line?.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return digits.flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { $0 << 10 }
  }
}
