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
}
