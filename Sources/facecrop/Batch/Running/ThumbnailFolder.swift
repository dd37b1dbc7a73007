import FaceCrop
import SystemPackage

/// The thumbnails of inputs and outputs for a report.
struct ThumbnailFolder: Sendable {
  /// The longer side in pixels.
  static let side = 320
  /// The number of outputs shown for each image.
  static let outputs = 6

  let path: FilePath
  /// The folder of the page, below which no symbolic link is followed; nil if nothing is written.
  let parent: OutputFolder?
  let cropper: FaceCropper
  let gate: WriteGate

  /// Returns the name of an input's thumbnail, which depends only on its location. Outputs add `-1` and so on.
  static func name(of input: FilePath) -> String { String(ContentHash(of: input.bytes).hexadecimal.prefix(24)) }

  private static func names(of input: FilePath, outputs: Int) -> [String] {
    let name = name(of: input)
    return ["\(name).jpg"] + (0..<min(outputs, Self.outputs)).map { "\(name)-\($0 + 1).jpg" }
  }

  /// Returns whether all thumbnails of an input exist.
  func has(_ entry: ManifestEntry, at location: FilePath) -> Bool {
    guard entry.outcome.faces != nil else { return true }
    let pictures = (entry.outcome.outputs ?? []).count { $0.sidecar != true && $0.left != true }
    return Self.names(of: location, outputs: pictures)
      .allSatisfy { FileStatus(path.appending($0)) != nil }
  }

  /// Makes the thumbnails of an image. For a failed one it shows the readable part. Returns the problem as a clause
  /// about the input; nil for none.
  func make(_ input: FilePath, _ source: ImageSource, _ made: PictureWork.Made) async -> String? {
    guard let plan = made.plan else {
      // The outcome already has the reason of the failure, so a missing thumbnail is not reported.
      if let size = try? await cropper.info(of: source).size {
        try? await write(source, size, to: Self.names(of: input, outputs: 0)[0])
      }
      return nil
    }
    do {
      let pictures =
        [(source: source, size: plan.source, rotation: plan.rotation)]
        + made.files.map { (source: .bytes($0.bytes), size: $0.size, rotation: .none) }
      for (picture, name) in zip(pictures, Self.names(of: input, outputs: made.files.count)) {
        try await write(picture.source, picture.size, picture.rotation, to: name)
      }
      return nil
    } catch {
      return "the report has no thumbnail: \((error as? FileError)?.message ?? "\(error)")"
    }
  }

  private func write(
    _ source: ImageSource, _ size: PixelSize, _ rotation: QuarterTurn = .none, to name: String
  ) async throws {
    let output = CropOutput(sizes: [.longSide(Self.side)])
    let whole = CropPlan(
      source: size, rotation: rotation, detector: "", faces: [], crops: [CropPlan.Crop(region: .whole, faces: [])])
    let result = try await cropper.render(whole, from: source, output: output, allowsDamage: true)
    let file = try await cropper.encode(result.crops[0], as: .jpeg(quality: 75))
    guard let parent, let own = path.lastComponent else { return }
    try parent.file(FilePath(root: nil, [own]).appending(name), gate: gate).commit(file)
  }
}
