import FaceCrop
import SystemPackage

/// Small pictures of inputs and outputs, for a report.
struct ThumbnailFolder: Sendable {
  /// Pixels of the longer side.
  static let side = 320
  /// Outputs of one picture that are shown.
  static let outputs = 6

  let path: FilePath
  let cropper: FaceCropper
  /// Knows the files that must stay.
  let gate: WriteGate

  /// The names follow from the input's location alone: this, and `-1` and so on for its outputs.
  static func name(of input: FilePath) -> String { String(Hexadecimal.sha256(input.bytes).prefix(24)) }

  private static func names(of input: FilePath, outputs: Int) -> [String] {
    let name = name(of: input)
    return ["\(name).jpg"] + (0..<min(outputs, Self.outputs)).map { "\(name)-\($0 + 1).jpg" }
  }

  /// Whether all that a report shows of an input is there.
  func has(_ entry: ManifestEntry, at location: FilePath) -> Bool {
    guard entry.outcome.faces != nil else { return true }
    return Self.names(of: location, outputs: (entry.outcome.outputs ?? []).count)
      .allSatisfy { FileStatus(path.appending($0)) != nil }
  }

  /// Makes those of one picture; of one that failed, what can be read of it.
  ///
  /// - Returns: what went wrong, as a clause about the input.
  func make(_ input: FilePath, _ bytes: [UInt8], _ made: PictureWork.Made) async -> String? {
    guard let size = made.plan?.source else {
      // Why it failed is in its outcome, which also says why there may be no thumbnail.
      if let size = try? await cropper.info(of: .bytes(bytes)).size {
        try? await write(bytes, size, to: Self.names(of: input, outputs: 0)[0])
      }
      return nil
    }
    do {
      let pictures = [(bytes: bytes, size: size)] + made.files
      for (picture, name) in zip(pictures, Self.names(of: input, outputs: made.files.count)) {
        try await write(picture.bytes, picture.size, to: name)
      }
      return nil
    } catch {
      return "the report has no thumbnail: \((error as? FileError)?.message ?? "\(error)")"
    }
  }

  private func write(_ bytes: [UInt8], _ size: PixelSize, to name: String) async throws {
    let output = CropOutput(sizes: [.longSide(Self.side)])
    let whole = CropPlan(
      source: size, detector: "", faces: [], crops: [CropPlan.Crop(region: .whole, faces: [])])
    let result = try await cropper.render(whole, from: .bytes(bytes), output: output, allowsDamage: true)
    let file = try await cropper.encode(result.crops[0], as: .jpeg(quality: 75))
    try OutputFile(path.appending(name), gate: gate).commit(file)
  }
}
