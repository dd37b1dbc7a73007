import ArgumentParser
import FaceCrop
import FoundationEssentials
import SystemPackage

/// The program that measures detectors on annotated images: see Benchmarks/README.md.
@main
struct Accuracy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accuracy", abstract: "Compares the detectors on a folder of annotated images.")

  @Argument(help: "The folder with the images and annotations.json.", completion: .directory)
  var set: String

  @Option(help: "The seed of the split into halves.")
  var seed: UInt64 = 1

  @Flag(help: "Also print each missed face and each false detection.")
  var list = false

  func run() async throws {
    // Like the command. OpenCV's threads would also hide processor time from the clock of the detecting thread.
    OpenCVThreads.turnOff()
    let folder = FilePath(set)
    let pictures = try AnnotatedPicture.all(in: folder)
    let runs = try await DetectorRun.measure(Detectors.all(), on: pictures, in: folder)
    let report = Report(pictures: pictures, runs: runs, seed: seed)
    print(report.markdown)
    if let heads = try await HeadAccuracy.measure(in: folder) { print(heads.markdown) }
    if list { print(report.faults) }
  }
}

/// The reason why there are no figures.
struct AccuracyError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension Data {
  /// Reads the bytes of a file.
  init(readingFile path: String) throws {
    do {
      try self.init(contentsOf: URL(filePath: path))
    } catch {
      throw AccuracyError("\(path) cannot be read")
    }
  }
}

/// The compared detectors.
enum Detectors {
  /// Creates the detectors, the baseline first. Times are ratios to the baseline's.
  static func all() throws -> [any FaceDetector] {
    [try PlainCascadeDetector(), HaarFaceDetector(), YuNetFaceDetector()]
  }
}
