import FaceCrop
import FoundationEssentials
import SystemPackage

/// The error of detected crowns compared with hand annotations, by facecrop's confidence.
struct HeadAccuracy {
  /// A head of the folder's `heads.json`.
  private struct AnnotatedHead: Decodable {
    var file: String
    /// Left, crown, right and chin, in fractions of the image.
    var head: [Double]
  }

  /// A head that was found.
  struct Measurement {
    var confidence: Double
    /// The distance of the crown below the annotated one, in heights of the face box.
    var error: Double
  }

  let found: [Measurement]
  let missed: Int

  /// Measures the heads of a folder, or returns nil without `heads.json`.
  static func measure(in folder: FilePath) async throws -> HeadAccuracy? {
    guard let data = try? Data(readingFile: folder.appending("heads.json").string) else { return nil }
    let cropper = FaceCropper()
    var found: [Measurement] = []
    var missed = 0
    // A crown outside of the image cannot be annotated.
    for annotated in try JSONDecoder().decode([AnnotatedHead].self, from: data) where annotated.head[1] > 0.005 {
      let detection = try await cropper.detect(
        in: .file(folder.appending(annotated.file).string), findsHeads: true, allowsDamage: true)
      let (left, crown, right, chin) = (annotated.head[0], annotated.head[1], annotated.head[2], annotated.head[3])
      let face = detection.faces.filter { (left...right).contains($0.box.midX) && (crown...chin).contains($0.box.midY) }
        .max { $0.box.height < $1.box.height }
      guard let face, let head = face.head else {
        missed += 1
        continue
      }
      found.append(
        Measurement(confidence: head.crown.confidence, error: (head.crown.position - crown) / face.box.height))
    }
    return HeadAccuracy(found: found, missed: missed)
  }

  var markdown: String {
    var table = Table("claimed confidence", "heads", "right to 0.1", "median error", "90 %", "cut by more than 0.05")
    let claims = Set(found.map(\.confidence)).sorted(by: >)
    table.rows = claims.map { claim in row(claim.fixed(2), found.filter { $0.confidence == claim }) }
    table.rows.append(row("all", found))
    return "## Crowns\n\nErrors are in heights of the face box. \(missed) heads were not found.\n\n\(table.markdown)\n"
  }

  private func row(_ name: String, _ heads: [Measurement]) -> [String] {
    let errors = heads.map { abs($0.error) }.sorted()
    func quantile(_ part: Double) -> Double {
      errors.isEmpty ? .nan : errors[min(Int(part * Double(errors.count)), errors.count - 1)]
    }
    func share(_ isCounted: (Measurement) -> Bool) -> Double {
      Double(heads.count(where: isCounted)) / Double(max(heads.count, 1))
    }
    return [
      name, "\(heads.count)", share { abs($0.error) <= 0.1 }.fixed(3), quantile(0.5).fixed(3), quantile(0.9).fixed(3),
      share { $0.error > 0.05 }.fixed(3),
    ]
  }
}
