import FaceCrop
import Foundation

/// The choice of one person before all faces are found: how often the search ends early, the pixels that the network
/// sees, and whether a choice among all faces would be the same.
enum ChoiceRuns {
  private struct Sum {
    var images = 0
    var withPerson = 0
    var early = 0
    var same = 0
    /// The pixels of a search for one person, and for all faces.
    var pixels = (one: 0, all: 0)
  }

  /// Measures all images of a folder, and returns lines of text.
  static func measure(_ folder: String) async throws -> String {
    var sum = Sum()
    var lines: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      guard let bytes = try? Data(contentsOf: URL(filePath: folder).appending(path: name)) else { continue }
      if try await !add(.bytes([UInt8](bytes)), to: &sum) { lines.append("another person: \(name)") }
    }
    guard sum.images > 0 else { throw BenchError("\(folder) has no image") }
    func share(_ part: Int, _ whole: Int) -> String { String(format: "%.3f", Double(part) / Double(max(whole, 1))) }
    lines += [
      "images \(sum.images), with a person \(sum.withPerson)", "ended early \(share(sum.early, sum.withPerson))",
      "pixels of one person over all faces \(share(sum.pixels.one, sum.pixels.all))",
      "pixels per image \(sum.pixels.one / sum.images), all faces \(sum.pixels.all / sum.images)",
      "same person as among all faces \(share(sum.same, sum.withPerson))",
    ]
    return lines.joined(separator: "\n")
  }

  /// Adds an image, and returns whether both choices are the same. Other files do not count.
  private static func add(_ source: ImageSource, to sum: inout Sum) async throws -> Bool {
    let (detector, other) = (YuNetFaceDetector(), YuNetFaceDetector())
    let search = FaceSearch(faces: .prominent)
    guard let plan = try? await FaceCropper(detector: detector).plan(for: source, search: search),
      let all = try? await FaceCropper(detector: other).detect(in: source)
    else { return true }
    sum.images += 1
    sum.pixels.one += try detector.pixels()
    sum.pixels.all += try other.pixels()
    guard let chosen = plan.chosen else { return all.faces.isEmpty }
    sum.withPerson += 1
    sum.early += plan.facesAreComplete ? 0 : 1
    let among = try CropPlanner().crops(for: all.faces, in: all.size, search: search).first?.faces.first
    let isSame = among.map { all.faces[$0].box.intersectionOverUnion(plan.faces[chosen].box) > 0.4 } ?? false
    sum.same += isSame ? 1 : 0
    return isSame
  }
}
