import Foundation
import TestSupport
import Testing

/// `--series`: one head size and one eye line for all images of a batch.
@Suite struct SeriesTests {
  /// Writes photos of one person: two with room above the hair, and one almost without.
  private func writePhotos(in folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    let photo = try astronaut()
    try folder.write(JPEGRecipe.baseline444.encode(Self.framed(photo, by: 100)), to: "in/1.jpg")
    try folder.write(JPEGRecipe.baseline444.encode(Self.framed(photo, by: 60)), to: "in/2.jpg")
    try folder.write(JPEGRecipe.baseline444.encode(photo.cropped(x: 0, y: 8, width: 512, height: 504)), to: "in/3.jpg")
  }

  /// Returns a photo with a gray border.
  private static func framed(_ photo: Pixels, by border: Int) -> Pixels {
    let side = [UInt8](repeating: 150, count: border * photo.channels)
    let (width, height) = (photo.width + 2 * border, photo.height + 2 * border)
    let edge = [UInt8](repeating: 150, count: border * width * photo.channels)
    let length = photo.width * photo.channels
    let rows = (0..<photo.height).flatMap { side + photo.samples[$0 * length..<($0 + 1) * length] + side }
    return Pixels(width: width, height: height, channels: photo.channels, samples: edge + rows + edge)
  }

  private struct Entry {
    var kinds: [String]
    var series: [String: Double]
    /// The height of the face, and the place of the eyes, in heights of the crop.
    var (size, eyes): (Double, Double)
  }

  /// Returns the last entry of each image by its name.
  private func entries(_ manifest: String) throws -> [String: Entry] {
    var entries: [String: Entry] = [:]
    for line in manifest.split(separator: "\n") {
      let object = try jsonObject(String(line))
      guard let input = object["input"] as? String else { continue }
      let region = try #require((object["regions"] as? [[String: Double]])?.first)
      let face = try #require((object["faces"] as? [[String: Any]])?.first)
      let landmarks = try #require(face["landmarks"] as? [[Double]])
      let (top, height) = (region["y"]!, region["height"]!)
      entries[input] = Entry(
        kinds: object["warningKinds"] as? [String] ?? [],
        series: (object["series"] as? [String: Any] ?? [:]).compactMapValues { $0 as? Double },
        size: (face["height"] as! Double) / height, eyes: ((landmarks[0][1] + landmarks[1][1]) / 2 - top) / height)
    }
    return entries
  }

  private func spread(_ values: [Double]) -> Double { values.max()! - values.min()! }

  private static let run = ["batch", "-r", "in", "--preset", "avatar", "--size", "64"]

  @Test func allHeadsHaveOneSizeAndOneEyeLine() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      let plain = try Facecrop.run(Self.run + ["-d", "plain"], currentDirectory: folder.path)
      #expect(plain.status == 0)
      let uneven = try Array(entries(folder.text("plain/manifest.ndjson")).values)
      #expect(uneven.allSatisfy { $0.series.isEmpty })
      #expect(spread(uneven.map(\.eyes)) > 0.03, "\(uneven)")

      let outcome = try Facecrop.run(Self.run + ["-d", "out", "--series"], currentDirectory: folder.path)
      #expect(outcome.status == 0 && outcome.stderr.contains("\nseries "), "\(outcome.stderr)")
      #expect(!outcome.stderr.contains("have the room"), "\(outcome.stderr)")
      let even = try Array(entries(folder.text("out/manifest.ndjson")).values)
      #expect(even.count == 3 && even.allSatisfy { $0.kinds.isEmpty })
      #expect(spread(even.map(\.size)) < 0.03 && spread(even.map(\.eyes)) < 0.025, "\(even)")
      let series = even[0].series
      #expect(even.allSatisfy { $0.series == series })
      #expect(try #require(series["eyeLine"]) < 0.46 || #require(series["faceRatio"]) > 0.45)
      // Jobs do not change the result.
      let alone = try Facecrop.run(Self.run + ["-d", "alone", "--series", "-j", "1"], currentDirectory: folder.path)
      #expect(alone.status == 0)
      for name in ["1.jpg", "2.jpg", "3.jpg"] {
        #expect(try folder.bytes("out/\(name)") == folder.bytes("alone/\(name)"))
      }
    }
  }

  /// A photo that arrives later changes no output. The one that misses the framing is named.
  @Test func laterRunsKeepTheFraming() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      let run = Self.run + ["-d", "out", "--series", "--report", "report.html"]
      #expect(try Facecrop.run(run, currentDirectory: folder.path).status == 0)
      let first = try folder.bytes("out/1.jpg")
      let series = try #require(entries(folder.text("out/manifest.ndjson"))["in/1.jpg"]).series
      let cut = try astronaut().cropped(x: 0, y: 60, width: 512, height: 452)
      try folder.write(JPEGRecipe.baseline444.encode(cut), to: "in/4.jpg")
      let again = try Facecrop.run(run, currentDirectory: folder.path)
      #expect(again.status == 0 && again.stderr.contains("kept from earlier runs"), "\(again.stderr)")
      #expect(again.stderr.contains("in/4.jpg: warning: the image has no room for the head size"), "\(again.stderr)")
      #expect(again.stderr.contains("3 of them by an earlier run"), "\(again.stderr)")
      let room = "\nseries    3 of 4 images have the room for this (pass --pad edge to fill the room"
      #expect(again.stderr.contains(room), "\(again.stderr)")
      let added = try #require(entries(folder.text("out/manifest.ndjson"))["in/4.jpg"])
      #expect(added.series == series && added.kinds.contains("frame"))
      let recorded = try folder.text("out/manifest.ndjson")
      #expect(recorded.contains("the image has no room for the head size and the eye line of the series"))
      #expect(try folder.bytes("out/1.jpg") == first)
      #expect(try folder.text("report.html").contains("\"warningKinds\":["))
      // The same framing for an output that was lost.
      try Facecrop.prepare("rm out/1.jpg", in: folder)
      #expect(try Facecrop.run(run, currentDirectory: folder.path).status == 0)
      #expect(try folder.bytes("out/1.jpg") == first)

      let other = try Facecrop.run(run + ["--face-ratio", "0.3"], currentDirectory: folder.path)
      #expect(other.status == 0 && !other.stderr.contains("kept from earlier runs"), "\(other.stderr)")
      let anew = try Facecrop.run(run + ["--no-resume"], currentDirectory: folder.path)
      #expect(anew.status == 0 && !anew.stderr.contains("kept from earlier runs"), "\(anew.stderr)")
    }
  }

  @Test func aDryRunWritesNothing() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      let outcome = try Facecrop.run(Self.run + ["--dry-run", "--series"], currentDirectory: folder.path)
      let shown = try Array(entries(outcome.text).values)
      #expect(outcome.status == 0 && shown.count == 3 && spread(shown.map(\.eyes)) < 0.025, "\(outcome.stderr)")
      #expect(try folder.names() == ["in"])
    }
  }

  @Test(arguments: [
    (["--preset", "avatar", "--shard", "0/2"], "leave out --shard"),
    (["--preset", "avatar", "--padding", "0.2"], "leave out --padding"),
    (["--preset", "passport"], "portrait"), (["--preset", "crop"], "portrait"), ([], "--preset portrait"),
  ])
  func optionsThatCannotBeASeriesAreRefused(options: [String], words: String) throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      let outcome = try Facecrop.run(
        ["batch", "-r", "in", "-d", "out", "--series"] + options, currentDirectory: folder.path)
      #expect(outcome.status == 64 && outcome.stderr.contains(words), "\(outcome.stderr)")
      #expect(!folder.has("out"))
    }
  }
}
