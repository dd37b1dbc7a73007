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

  /// Bytes that pictures have to have together, so that a small one can be cropped at all.
  static let leastForPictures = 20 << 20

  /// Bytes that cropping a picture takes at most, beside the file's.
  ///
  /// - Parameters:
  ///   - hasPlan: a stored one, whose regions may have any shape, and reach out of the picture.
  ///   - method: how crops of a picture of that format are made.
  static func estimate(
    _ bytes: [UInt8], by cropper: FaceCropper, _ request: CropRequest, hasPlan: Bool,
    method: (ImageFormat) -> CropMaker.Method
  ) async throws(FaceCropError) -> Int {
    let info = try await cropper.info(of: .bytes(bytes))
    switch method(info.format) {
    case .encoded(let format, _, _):
      guard hasPlan else { return info.memory(for: request, as: format) }
      var any = request
      any.output.sizes = []
      return max(info.memory(for: request, as: format), info.memory(for: any, as: format))
    case .lossless:
      // Of all components at full size. A region's are there once more; of one scan, where it cannot be cut out of the file's
      // bits, they are not in the estimate at all.
      let coefficients = (info.isGray ? 2 : 6) * info.size.width * info.size.height
      let memory = info.memory(for: request)
      return info.isProgressive ? memory + coefficients : max(memory, 2 * coefficients)
    }
  }
}
