import TestSupport
import Testing

@testable import FaceCrop

@Suite struct SheetTests {
  private static let passport = PixelSize(width: 413, height: 531)

  private static func overlap(_ a: PixelRect, _ b: PixelRect) -> Bool {
    let both = a.intersection(b)
    return both.width > 0 && both.height > 0
  }

  // MARK: Layout

  /// As many prints as possible, separated by the gap, inside the margin, and centered.
  @Test(arguments: [PaperSize.photo, .a4, .letter]) func printsAreApartAndInTheMiddle(paper: PaperSize) throws {
    let measures = SheetLayout.Measures(paper: paper)
    let full = try SheetLayout(measures, print: Self.passport, count: nil)
    #expect(full.places.count == full.capacity && full.capacity >= 6)
    for count in [1, 2, full.capacity - 1, full.capacity] {
      let layout = try SheetLayout(measures, print: Self.passport, count: count)
      #expect(layout.places.count == count && layout.size == full.size)
      #expect(layout.rows.flatMap(Array.init) == Array(0..<count))
      let (gap, margin) = (24, 47)
      for (index, place) in layout.places.enumerated() {
        #expect(place.size == Self.passport)
        #expect(place.x >= margin && place.y >= margin)
        #expect(place.x + place.width <= layout.size.width - margin)
        #expect(place.y + place.height <= layout.size.height - margin)
        let room = PixelRect(x: place.x, y: place.y, width: place.width + gap, height: place.height + gap)
        #expect(!layout.places.indices.contains { $0 > index && Self.overlap(room, layout.places[$0]) })
      }
      let left = layout.places.map(\.x).min()!
      let right = layout.size.width - layout.places.map { $0.x + $0.width }.max()!
      #expect(abs(left - right) <= 1)
    }
  }

  @Test func paperIsTurnedWhereMoreFits() throws {
    let wide = PixelSize(width: 1_000, height: 600)
    let layout = try SheetLayout(SheetLayout.Measures(paper: .photo), print: wide, count: nil)
    #expect(layout.size.height > layout.size.width && layout.capacity == 2)
    let turned = try SheetLayout(
      SheetLayout.Measures(paper: .photo), print: PixelSize(width: 1_200, height: 400), count: nil)
    #expect(turned.size.width > turned.size.height && turned.capacity == 2)
  }

  /// Each mark is in line with an edge of a print, and outside the prints' own row and column.
  @Test func marksAreInLine() throws {
    let layout = try SheetLayout(SheetLayout.Measures(paper: .a4, gap: 0.2), print: Self.passport, count: 5)
    #expect(layout.marks.count == 40)
    for mark in layout.marks {
      #expect(!layout.places.contains { Self.overlap($0, mark) })
      #expect(
        layout.places.contains { place in
          mark.width < mark.height
            ? [place.x, place.x + place.width].contains { $0 == mark.x || $0 == mark.x + mark.width }
            : [place.y, place.y + place.height].contains { $0 == mark.y || $0 == mark.y + mark.height }
        })
    }
    #expect(
      try SheetLayout(SheetLayout.Measures(paper: .a4), print: Self.passport, count: 5, hasMarks: false).marks == [])
  }

  @Test func refusesPrintsThatDoNotFit() {
    for (print, count) in [(PixelSize(width: 9_000, height: 20), nil), (Self.passport, 7), (Self.passport, 0)] {
      #expect(throws: FaceCropError.self) {
        try SheetLayout(SheetLayout.Measures(paper: .photo), print: print, count: count)
      }
    }
    #expect(throws: FaceCropError.self) {
      try SheetLayout(SheetLayout.Measures(paper: .a4, resolution: 100_000), print: Self.passport, count: 1)
    }
  }

  // MARK: Files

  private static func sheet(
    _ layout: SheetLayout, _ prints: [Pixels], as format: OutputFormat
  ) throws -> [UInt8] {
    let encoder = try SheetEncoder(layout, as: format)
    var file: [UInt8] = []
    for row in layout.rows {
      file += try encoder.add(row.map { RenderedCrop(prints[$0]) })
    }
    let end = try encoder.finish()
    file += end.bytes
    if !end.beginning.isEmpty { file.replaceSubrange(..<end.beginning.count, with: end.beginning) }
    return file
  }

  /// Positions and marks of millions of prints would take hundreds of megabytes.
  @Test func printsAreLimited() throws {
    let measures = SheetLayout.Measures(paper: .photo, gap: 0, resolution: 1_000)
    let print = PixelSize(width: 4, height: 4)
    expectFault("invalid", naming: "10000") { try SheetLayout(measures, print: print, count: nil) }
    #expect(try SheetLayout(measures, print: print, count: 10_000).places.count == 10_000)
  }

  /// White paper, black marks, and the exact prints; gray and transparent ones keep their colors.
  @Test(arguments: [OutputFormat.png, .tiff]) func everyPixelIsWhereItBelongs(format: OutputFormat) throws {
    let print = PixelSize(width: 61, height: 83)
    let layout = try SheetLayout(
      SheetLayout.Measures(paper: PaperSize(width: 2, height: 3), resolution: 150), print: print, count: 5)
    let prints = (0..<5).map {
      Pixels.noise(width: print.width, height: print.height, channels: [3, 1, 4][$0 % 3], seed: UInt64($0))
    }
    let file = try Self.sheet(layout, prints, as: format)
    let made = try decoded(file)
    #expect(made.width == 300 && made.height == 450)
    var expected = [UInt8](repeating: 255, count: 300 * 450 * 3)
    func fill(_ rect: PixelRect, _ color: (Int, Int) -> [UInt8]) {
      for y in 0..<rect.height {
        for x in 0..<rect.width {
          let start = ((rect.y + y) * 300 + rect.x + x) * 3
          expected.replaceSubrange(start..<start + 3, with: color(x, y))
        }
      }
    }
    for mark in layout.marks { fill(mark) { _, _ in [0, 0, 0] } }
    for (place, pixels) in zip(layout.places, prints) {
      let colors = Pixels(PixelBuffer(pixels).flattened(on: .white).inColor())
      fill(place) { colors[$0, $1] }
    }
    #expect(made.samples == expected)
    let header = try withSession(file) { $0.header }
    let resolution = header.resolution ?? header.exif.flatMap { EXIF($0) }?.resolution
    #expect(resolution == 150)
  }

  /// libjpeg's output in pieces equals its output at once.
  @Test func aFileInPiecesIsTheSame() throws {
    let pixels = PixelBuffer(Pixels.testPattern(width: 700, height: 900))
    let job = Job.forTests()
    func encoders() throws -> [any RowEncoder] {
      try [
        JPEGEncoder(pixels.size, .rgb, quality: 90, subsampling: .yuv420, resolution: 300, job),
        PNGEncoder(pixels.size, .rgb, resolution: 300, job), TIFFEncoder(pixels.size, .rgb, resolution: 300),
      ]
    }
    for (whole, pieces) in zip(try encoders(), try encoders()) {
      let file = try whole.file(of: pixels, job)
      var made: [UInt8] = []
      try unsafe pixels.forEachBand(job) { (rows, count) throws(FaceCropError) in
        try unsafe pieces.write(rows, count: count)
        made += pieces.taken()
      }
      #expect(made.count > file.count / 2)
      let end = try pieces.finish()
      made += end.bytes
      made.replaceSubrange(..<end.beginning.count, with: end.beginning)
      #expect(made == file)
    }
  }

  /// A print that is too small or too large is fitted.
  @Test func printsOfAnotherSizeAreFitted() throws {
    let layout = try SheetLayout(
      SheetLayout.Measures(paper: PaperSize(width: 2, height: 3), resolution: 100),
      print: PixelSize(width: 80, height: 100), count: 1)
    let place = layout.places[0]
    for size in [(40, 50), (160, 200)] {
      let file = try Self.sheet(layout, [Pixels(width: size.0, height: size.1, color: [10, 200, 90])], as: .png)
      #expect(try decoded(file).cropped(place) == Pixels(width: 80, height: 100, color: [10, 200, 90]))
    }
  }

  @Test func onlyWhatGrowsFromTheTopIsWritten() throws {
    let layout = try SheetLayout(SheetLayout.Measures(paper: .photo), print: Self.passport, count: 2)
    for format in [OutputFormat.webp(quality: 80), .avif(quality: 80), .jpeg(quality: 80, isProgressive: true)] {
      #expect(throws: FaceCropError.self) { try SheetEncoder(layout, as: format) }
    }
    let encoder = try SheetEncoder(layout, as: .png)
    let print = RenderedCrop(Pixels(width: 3, height: 4, color: [1, 2, 3]))
    #expect(throws: FaceCropError.self) { try encoder.add([print]) }
    #expect(throws: FaceCropError.self) { try encoder.finish() }
    _ = try encoder.add([print, print])
    #expect(throws: FaceCropError.self) { try encoder.add([print, print]) }
    _ = try encoder.finish()
  }

  @Test func aCancelledTaskEndsIt() async throws {
    let layout = try SheetLayout(SheetLayout.Measures(paper: .photo), print: Self.passport, count: 1)
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try SheetEncoder(layout, as: .png).add([RenderedCrop(Pixels(width: 3, height: 4, color: [1, 2, 3]))])
    }
    await #expect(throws: FaceCropError.cancelled) { try await task.value }
  }
}
