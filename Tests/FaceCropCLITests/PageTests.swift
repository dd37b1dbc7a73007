import Foundation
import TestSupport
import Testing

/// Pages of TIFF files.
@Suite struct PageTests {
  @Test func everyCommandReadsAPage() throws {
    try TemporaryFolder.with { folder in
      try folder.write(TIFFBuilder.pages([(10, nil), (20, nil), (200, nil)]), to: "scan.tif")
      try folder.write(PNGBuilder(width: 9, height: 9).encoded(), to: "a.png")
      func run(_ line: String) throws -> Facecrop.Outcome {
        try Facecrop.bash("facecrop \(line)", currentDirectory: folder.path)
      }
      #expect(try run("info scan.tif").text.contains("TIFF, 3 pages"))
      #expect(try run("info scan.tif --json --page 2").text.contains("\"pages\":3"))
      for command in ["crop", "blur"] {
        // `blur` ends with 2 if it finds no face.
        #expect(try [0, 2].contains(run("\(command) scan.tif --page 3 -o out.png").status))
        #expect(try referenceDecodePNG(folder.bytes("out.png")).samples[0] == 200)
      }
      #expect(try run("detect scan.tif --page 2").status == 0)
      let missing = try run("info scan.tif --page 4")
      #expect(missing.status == 1 && missing.stderr.contains("no page 4, but 3 (choose another page)"))
      let other = try run("crop a.png --page 2")
      #expect(other.status == 1 && other.stderr.contains("no page 2, because only TIFF has several"))
      #expect(try run("info scan.tif --page 0").status == 64)
    }
  }

  /// A batch reads the page of each image, makes outputs of another page again, and shows the page in its report.
  @Test func batchesReadAPage() throws {
    try TemporaryFolder.with { folder in
      _ = try Facecrop.bash("mkdir in", currentDirectory: folder.path)
      try folder.write(TIFFBuilder.pages([(10, nil), (20, nil), (200, nil)]), to: "in/scan.tif")
      func level(_ page: Int?, _ rest: String = "") throws -> UInt8 {
        let option = page.map { "--page \($0)" } ?? ""
        let batch = "facecrop batch -r in -d out --no-face whole --format png \(option) \(rest)"
        let outcome = try Facecrop.bash(batch, currentDirectory: folder.path)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return try referenceDecodePNG(folder.bytes("out/scan.png")).samples[0]
      }
      for (page, wanted) in [(3, 200), (3, 200), (nil, 10), (2, 20)] as [(Int?, UInt8)] {
        #expect(try level(page) == wanted)
      }
      #expect(try level(3, "--report r.html") == 200)
      let names = try Facecrop.bash("find . -name '*.jpg'", currentDirectory: folder.path).lines
      #expect(names.count == 2)
      for name in names {
        let thumbnail = try referenceDecode(folder.bytes(String(name.dropFirst(2))))
        #expect(abs(Int(thumbnail.pixels.samples[0]) - 200) <= 2, "\(name)")
      }
      try folder.write(PNGBuilder(width: 9, height: 9).encoded(), to: "in/a.png")
      let missing = try Facecrop.bash("facecrop batch -r in -d other --page 4", currentDirectory: folder.path)
      #expect(missing.status == 1 && missing.stderr.contains("no page 4, but 3 (choose another page)"))
      #expect(missing.stderr.contains("no page 4, because only TIFF has several"))
    }
  }

  /// A request to a worker names its page, or has that of the worker's command line.
  @Test func workersReadAPage() throws {
    try TemporaryFolder.with { folder in
      try folder.write(TIFFBuilder.pages([(10, nil), (20, nil), (200, nil)]), to: "scan.tif")
      let pages: [Int?] = [3, nil, 1, 4, 2]
      let requests = pages.enumerated().map { id, page in
        let option = page.map { ",\"page\":\($0)" } ?? ""
        return "{\"id\":\(id),\"input\":\"scan.tif\",\"output\":\"\(id).png\",\"no-face\":\"whole\"\(option)}\n"
      }
      try folder.write(requests.joined(), to: "requests")
      for (line, other) in [("", UInt8(10)), ("--page 2", 20)] {
        let outcome = try Facecrop.bash(
          "facecrop batch --worker --jobs 1 \(line) < requests", currentDirectory: folder.path)
        #expect(outcome.status == 0 && outcome.text.contains("no page 4, but 3"), "\(outcome.text)")
        for (id, wanted) in [(0, 200), (1, other), (2, 10), (4, 20)] as [(Int, UInt8)] {
          #expect(try referenceDecodePNG(folder.bytes("\(id).png")).samples[0] == wanted, "\(line), \(id)")
        }
      }
    }
  }
}
