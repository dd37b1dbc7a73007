import FaceCrop
import SystemPackage

/// A detector's work on all pictures.
struct DetectorRun {
  /// One picture.
  struct Look {
    let picture: AnnotatedPicture
    /// Fails when the picture could not be read.
    let outcome: Result<Comparison, FaceCropError>
    /// Seconds of detection; nil when there was none.
    let time: Double?
    /// Nil when no face is asked for.
    let isWellFramed: Bool?

    var comparison: Comparison? { try? outcome.get() }
    var failure: FaceCropError? {
      if case .failure(let failure) = outcome { failure } else { nil }
    }
  }

  let detector: String
  let looks: [Look]

  /// Lets each detector look at a picture before the next picture comes, so that what slows the machine slows all of them.
  static func measure(
    _ detectors: [any FaceDetector], on pictures: [AnnotatedPicture], in folder: FilePath
  ) async throws -> [DetectorRun] {
    let detectors = detectors.map(TimedDetector.init)
    // What one cannot load would otherwise look like a picture that cannot be read.
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

  /// Whether the first region planned for an avatar is good; not, when there is none.
  private static func isWellFramed(
    _ picture: AnnotatedPicture, from source: ImageSource, by detector: any FaceDetector
  ) async -> Bool {
    let plan = try? await FaceCropper(detector: detector).plan(
      for: source, search: FaceSearch(faces: .largest), composition: Composition(framing: .avatar))
    return plan?.crops.first.map { AvatarRule.isGood($0.region, of: picture) } ?? false
  }
}
