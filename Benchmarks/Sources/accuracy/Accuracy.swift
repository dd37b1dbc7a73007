import ArgumentParser
import FaceCrop
import SystemPackage

/// The program that measures detectors on annotated images: see Benchmarks/README.md.
@main
struct Accuracy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accuracy", abstract: "Compares the detectors on a folder of annotated pictures.")

  @Argument(help: "The folder that holds the pictures and annotations.json.", completion: .directory)
  var set: String

  @Option(help: "Another split into halves.")
  var seed: UInt64 = 1

  @Flag(help: "Print each missed face and each false hit too.")
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
