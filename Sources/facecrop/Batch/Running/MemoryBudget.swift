import FaceCrop
import FoundationEssentials
import Glibc
import SystemPackage

/// What a run may take, and what is known beforehand of what it will.
enum MemoryBudget {
  /// Half of the machine's memory, or of what its container may have.
  static var standard: Int {
    var bytes = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    let container = try? Input.readToEnd(of: "/sys/fs/cgroup/memory.max")
    let text = String(decoding: container ?? [], as: UTF8.self).split(separator: "\n").first
    if let limit = text.flatMap({ Int($0) }) { bytes = min(bytes, limit) }
    return max(bytes / 2, 256 << 20)
  }

  /// Bytes that the process takes beside its pictures: itself, and models and the detector's buffers for each job. Measured on
  /// pictures of 512 × 512 pixels: 89 MiB with one job, 127 with two.
  static func base(jobs: Int) -> Int { (50 + 40 * jobs) << 20 }

  /// Bytes that cropping a picture takes at most, beside the file's.
  ///
  /// - Parameters:
  ///   - hasPlan: a stored one, whose regions may have any shape.
  ///   - isLossless: the crops are cut out of the file.
  static func estimate(
    _ bytes: [UInt8], by cropper: FaceCropper, _ request: CropRequest, hasPlan: Bool, isLossless: Bool
  ) async throws(FaceCropError) -> Int {
    let info = try await cropper.info(of: .bytes(bytes))
    let memory = hasPlan ? max(info.memory(for: request), info.memory) : info.memory(for: request)
    guard isLossless else { return memory }
    // Of all components at full size. A region's are there once more; of one scan, where it cannot be cut out of the file's
    // bits, they are not in the estimate at all.
    let coefficients = (info.isGray ? 2 : 6) * info.size.width * info.size.height
    return info.isProgressive ? memory + coefficients : max(memory, 2 * coefficients)
  }
}
