import FaceCrop
import Glibc

/// The memory budget of a run, and estimates for images.
enum MemoryBudget {
  /// The default budget: half of the memory of the machine or its container.
  static var standard: Int {
    var bytes = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    let container = try? Input.readToEnd(of: "/sys/fs/cgroup/memory.max")
    let text = String(decoding: container ?? [], as: UTF8.self).split(separator: "\n").first
    if let limit = text.flatMap({ Int($0) }) { bytes = min(bytes, limit) }
    return max(bytes / 2, 256 << 20)
  }

  /// Returns the bytes of the process without images: itself, and models and the detector's buffers for each job.
  /// Measurements with images of 512 × 512 pixels show 89 MiB with one job, and 127 with two.
  static func base(jobs: Int) -> Int { (50 + 40 * jobs) << 20 }

  /// The minimum bytes for images, enough to crop a small one.
  static let leastForPictures = 20 << 20

  /// Returns an upper bound of the bytes for cropping an image, without those of its file. The crops of a stored plan may
  /// have regions of any shape, reach out of the image, be rotated, or have backgrounds, whatever the request asks for.
  /// `method` returns the method for crops of a format.
  static func estimate(
    _ source: ImageSource, by cropper: FaceCropper, _ request: CropRequest, plan: CropPlan?,
    method: (ImageFormat) -> CropMaker.Method
  ) async throws(FaceCropError) -> Int {
    let info = try await cropper.info(of: source)
    switch method(info.format) {
    case .encoded(let format, _, _):
      let memory = info.memory(for: request, as: format)
      guard let plan else { return memory }
      return plan.crops.reduce(memory) { memory, crop in
        var any = request
        any.output.background = request.output.background(of: crop)
        // Only the template and the edge of a layout change the memory.
        any.composition.layout =
          crop.template.map { .template($0) } ?? (crop.frame == nil ? .faces() : .framing(.avatar, edge: .pad))
        if crop.turn != nil { any.composition.alignsEyes = true }
        let sized = info.memory(for: any, as: format)
        any.output.sizes = []
        return max(memory, sized, info.memory(for: any, as: format))
      }
    case .lossless:
      // The coefficients of all components, plus those of a region. The estimate lacks them for files with one scan,
      // which need them if the bits cannot be cut out.
      let coefficients = (info.isGray ? 2 : 6) * info.size.width * info.size.height
      let memory = info.memory(for: request)
      return info.isProgressive ? memory + coefficients : max(memory, 2 * coefficients)
    case .blur(var blur, let format):
      blur.sidecar = request.output.sidecar
      return info.memory(for: blur, as: format(info.format))
    }
  }
}
