import FaceCrop
import SystemPackage

/// A detector's results on all images.
struct DetectorRun {
  /// The result for one image.
  struct Look {
    let picture: AnnotatedPicture
    /// A failure if the image could not be read.
    let outcome: Result<Comparison, FaceCropError>
    /// Seconds of detection; nil without a detection.
    let time: Double?
    /// Nil if the image has no face to find.
    let isWellFramed: Bool?

    var comparison: Comparison? { try? outcome.get() }
    var failure: FaceCropError? {
      if case .failure(let failure) = outcome { failure } else { nil }
    }
  }

  let detector: String
  let looks: [Look]

  /// Runs all detectors on an image before the next image, so that a slower machine slows all of them.
  static func measure(
    _ detectors: [any FaceDetector], on pictures: [AnnotatedPicture], in folder: FilePath
  ) async throws -> [DetectorRun] {
    let detectors = detectors.map(TimedDetector.init)
    // A detector that cannot load would otherwise look like an unreadable image.
    for detector in detectors { _ = try detector.prepare() }
    var looks: [[Look]] = detectors.map { _ in [] }
    for picture in pictures {
      for (index, detector) in detectors.enumerated() {
        looks[index].append(try await look(at: picture, in: folder, by: detector))
      }
    }
    return zip(detectors, looks).map { DetectorRun(detector: $0.name, looks: $1) }
  }

  private static func look(
    at picture: AnnotatedPicture, in folder: FilePath, by detector: TimedDetector
  ) async throws -> Look {
    let source = ImageSource.file(folder.appending(picture.file))
    let detection: Result<Detection, FaceCropError>
    do throws(FaceCropError) {
      detection = .success(try await FaceCropper(detector: detector).detect(in: source))
    } catch {
      detection = .failure(error)
    }
    if case .success(let seen) = detection, seen.size != picture.size {
      throw AccuracyError(
        "\(picture.file) is \(seen.size.width)x\(seen.size.height), and annotated as "
          + "\(picture.size.width)x\(picture.size.height)")
    }
    return Look(
      picture: picture, outcome: detection.map { Comparison(of: $0.faces, with: picture) }, time: detector.takeTime(),
      isWellFramed: picture.asked.isEmpty ? nil : await isWellFramed(picture, from: source, by: detector.base))
  }

  /// Returns whether the first region planned for an avatar is good; false without one.
  private static func isWellFramed(
    _ picture: AnnotatedPicture, from source: ImageSource, by detector: any FaceDetector
  ) async -> Bool {
    let plan = try? await FaceCropper(detector: detector).plan(
      for: source, search: FaceSearch(faces: .prominent), composition: Composition(.framing(.avatar)))
    return plan?.crops.first.map { AvatarRule.isGood($0.region, of: picture) } ?? false
  }
}
