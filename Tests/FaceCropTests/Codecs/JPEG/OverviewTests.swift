import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct OverviewTests {
  /// The cascades get the nearest of all eighths.
  @Test func theFewestEighthsThatAreEnoughAreTaken() {
    func scales(_ longSide: Int) -> [Int] {
      [400, Overview.smallest, 640].map {
        JPEGSession.overviewScale(for: PixelSize(width: longSide, height: 10), smallest: $0, isExact: $0 == 640)
      }
    }
    #expect(scales(1) == [8, 8, 8])
    #expect(scales(640) == [8, 8, 8])
    #expect(scales(800) == [4, 8, 6])
    #expect(scales(1_280) == [4, 4, 4])
    #expect(scales(1_600) == [2, 4, 3])
    #expect(scales(3_199) == [2, 2, 2])
    #expect(scales(3_200) == [1, 2, 2])
    #expect(scales(4_000) == [1, 1, 1])
    #expect(scales(65_500) == [1, 1, 1])
  }

  /// A detector of a caller gets at least the pixels that it needs, and the cascades the nearest size.
  @Test(arguments: [-1, 1, 320, 639, 640, 9_000])
  func detectorsGetTheSufficientSide(side: Int) async throws {
    final class Detector: TestDetector, Sendable {
      let name = "measuring"
      let input: DetectorInput
      let longSide = Atomic(0)

      init(_ side: Int) { input = DetectorInput(format: .rgb, sufficientSide: side) }

      func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
        longSide.max(picture.size.longSide, ordering: .relaxed)
        return []
      }
    }
    for width in [2_000, 4_032] {
      let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: width, height: 90, channels: 3, seed: 8))
      let detector = Detector(side)
      _ = try? await FaceCropper(detector: detector).detect(in: .bytes(jpeg))
      let found = detector.longSide.load(ordering: .relaxed)
      #expect(found >= min(max(side, 1), Overview.side) && found <= Overview.side, "\(width): \(found)")
    }
    #expect(HaarFaceDetector().input.isExact)
  }

  /// A small image is decoded once: its region is a part of the overview, with the same pixels, warnings and damage.
  @Test func aSmallPictureIsDecodedOnce() throws {
    for recipe in [JPEGRecipe.baseline420, .gray, .baseline444] {
      let picture = Pixels.testPattern(width: 700, height: 500, channels: recipe.channels, seed: 3)
      let jpeg = try recipe.encode(picture)
      let rect = PixelRect(x: 201, y: 33, width: 311, height: 177)
      var regions: [PixelBuffer] = []
      for (access, scales) in [(JPEGSession.Access.fastest, [8]), (.sequential, [1, 2, 4, 8])] {
        let region = try JPEGSession.with(jpeg, access: access) { (session) throws(FaceCropError) in
          _ = try session.overview(format: session.header.format, smallest: 400)
          #expect(session.scales == scales)
          return try session.region(rect, scale: 8)
        }
        regions.append(region)
      }
      #expect(regions[0] == regions[1])
    }
  }

  /// At 8 MP, the network gets one eighth, 408 pixels; a detector without a sufficient side gets two, resized to 640.
  @Test(arguments: [JPEGRecipe.baseline420, .progressive])
  func theDetectorSaysWhatIsEnough(recipe: JPEGRecipe) async throws {
    let source = ImageSource.bytes(try recipe.encode(.testPattern(width: 100, height: 3_264, channels: 3, seed: 8)))
    let detectors: [(any FaceDetector, Int)] = [
      (StubDetector(), 640), (HaarFaceDetector(), 640), (YuNetFaceDetector(), 408),
    ]
    for (detector, longSide) in detectors {
      let cropper = FaceCropper(detector: detector)
      for isStored in [false, true] {
        let (seen, path) = try await cropper.run(source, allowsDamage: false, progress: nil) {
          (session, job) throws(FaceCropError) in
          var seen: [PixelSize] = []
          let session = isStored ? OrientedSession(session, .up) : session
          let detection = try cropper.look(session, FaceSearch(), job) { seen.append($0.value.size) }
          return (seen, detection.path)
        }
        #expect(seen.map(\.longSide) == [longSide], "\(detector.name)")
        // A quarter also comes from the walk, but not bit by bit.
        if !recipe.progressive {
          #expect(path == (detector is HaarFaceDetector ? .sequential : .index), "\(detector.name)")
        }
      }
      #expect(try await cropper.preview(of: source).picture.pixels.size.longSide == 1_280, "\(detector.name)")
    }
  }

  /// Overviews from coefficients equal libjpeg's scaled decode within a level, since its integer arithmetic rounds
  /// differently. A first scan of DC values lacks their lowest bit.
  @Test func overviewsOfScansEqualTheScaledDecode() throws {
    for (name, recipe) in JPEGRecipe.allKinds where recipe.progressive || recipe.multiscan {
      for longSide in [300, 700, 850, 1_000, 1_280, 1_500, 2_200, 4_200] {
        let picture = Pixels.testPattern(width: longSide, height: 90, channels: recipe.channels, seed: 8)
        let jpeg = try recipe.encode(picture)
        let scale = JPEGSession.overviewScale(
          for: PixelSize(width: longSide, height: 90), smallest: Overview.smallest)
        let tolerance = scale == 1 ? 2 : 1
        let reference = try referencePixels(jpeg, scale: scale, as: recipe.channels == 3 ? .gray : .native).gray
        let expected = try OverviewRequest(format: .gray).shrunk(PixelBuffer(reference))
        // Without decoding all pixels.
        let overview = try JPEGSession.with(jpeg, access: .sequential) { (session) throws(FaceCropError) in
          try session.overview()
        }
        #expect(
          Pixels(overview).maximumDifference(from: Pixels(expected)) <= tolerance, "\(name), \(longSide), \(scale)/8")
      }
    }
  }

  /// A small image whose overview needs all pixels is decoded once, however many scans it has.
  @Test func overviewsOfSmallPicturesAreAllOfThem() throws {
    for (name, recipe) in JPEGRecipe.allKinds where recipe.channels == 3 {
      for longSide in [300, 700] {
        let jpeg = try recipe.encode(.testPattern(width: longSide, height: 90, channels: 3, seed: 8))
        let request = OverviewRequest(format: .rgb)
        let (overview, region) = try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in
          let overview = try session.overview(format: .rgb)
          return (overview, try session.region(PixelRect(x: 0, y: 0, width: longSide, height: 90)))
        }
        let all = PixelBuffer(try referencePixels(jpeg, as: .rgb))
        #expect(Pixels(region) == Pixels(all), "\(name), \(longSide)")
        #expect(Pixels(overview) == Pixels(try request.shrunk(all)), "\(name), \(longSide)")
      }
    }
  }

  /// If fewer pixels suffice, a small image is reduced by a whole factor that leaves enough.
  @Test func overviewsAreReducedByWholeFactors() throws {
    let expected = [500: 500, 640: 640, 641: 640, 799: 640, 800: 400, 801: 401, 1_280: 640, 1_281: 640, 1_600: 400]
    for (longSide, side) in expected {
      let jpeg = try JPEGRecipe.baseline444.encode(.testPattern(width: longSide, height: 91, channels: 3, seed: 8))
      let overview = try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in
        try session.overview(format: .rgb, smallest: 400)
      }
      #expect(overview.size.width == side, "\(longSide)")
      if longSide == 2 * side {
        let half = try Pixels(PixelBuffer(referencePixels(jpeg, as: .rgb)).averaged(by: 2))
        #expect(Pixels(overview).meanDifference(from: half) < 0.5, "\(longSide)")
      }
      // The cascades get OpenCV's pixels for every purpose.
      let exact = try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in
        try session.overview(format: .rgb, smallest: 640)
      }
      #expect(exact == (try PixelBuffer(referencePixels(jpeg, as: .rgb)).shrunk(toLongSide: 640)), "\(longSide)")
    }
  }

  @Test func overviewsOfOneScanAreTheScaledDecode() throws {
    for (name, recipe) in JPEGRecipe.allKinds where !recipe.progressive && !recipe.multiscan {
      let jpeg = try recipe.encode(.testPattern(width: 75, height: 1_250, channels: recipe.channels, seed: 8))
      let overview = try JPEGSession.with(jpeg, access: .sequential) { (session) throws(FaceCropError) in
        try session.overview()
      }
      let reference = try referencePixels(jpeg, scale: 4, as: recipe.channels == 3 ? .gray : .native).gray
      #expect(overview.size == PixelSize(width: 38, height: 625), "\(name)")
      #expect(Pixels(overview).maximumDifference(from: reference) <= 1, "\(name)")
    }
  }

  /// Without chroma subsampling, the overview equals libjpeg's eighth.
  @Test func colorOverviewsOfTheIndexAreTheEighth() throws {
    var compared = 0
    for (name, recipe) in JPEGRecipe.allKinds where recipe.channels == 3 && recipe.color == .yCbCr {
      guard !recipe.progressive && !recipe.multiscan && !recipe.arithmetic else { continue }
      let jpeg = try recipe.encode(.testPattern(width: 4_003, height: 67, channels: 3, seed: 8))
      let overview = try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in
        try session.overview(format: .rgb)
      }
      #expect(overview.size == PixelSize(width: 501, height: 9) && overview.format == .rgb, "\(name)")
      let expected = try referencePixels(jpeg, scale: 1, as: .rgb)
      if recipe.sampling.isEmpty {
        compared += 1
        #expect(Pixels(overview).maximumDifference(from: expected) == 0, "\(name)")
      }
    }
    #expect(compared > 0)
  }

  /// A chroma sample is the mean of the eighth's pixels that share it.
  @Test func chromaOfTheIndexIsTheMeanOfTheEighth() throws {
    for recipe in [JPEGRecipe.baseline420, .baseline422] {
      let jpeg = try recipe.encode(.testPattern(width: 640, height: 320, channels: 3, seed: 8))
      let stored = try referencePixels(jpeg, scale: 1, as: .stored)
      let (horizontal, vertical) = (2, recipe.sampling == JPEGRecipe.baseline420.sampling ? 2 : 1)
      let overview = try unsafe jpeg.withUnsafeBufferPointer { bytes in
        let index = try #require(try unsafe JPEGIndex(reading: bytes, isFileMapping: false, job: .forTests()))
        #expect(index.overviewPlanes == 3)
        return try #require(try index.overview(planes: 3, format: .rgb))
      }
      #expect(overview.size == PixelSize(width: stored.width, height: stored.height))
      for y in 0..<stored.height {
        for x in 0..<stored.width {
          func mean(_ component: Int) -> Double {
            let (left, top) = (x - x % horizontal, y - y % vertical)
            let places = (0..<horizontal * vertical).map {
              (top + $0 / horizontal) * stored.width + left + $0 % horizontal
            }
            return Double(places.reduce(0) { $0 + Int(stored.samples[$1 * 3 + component]) }) / Double(places.count)
          }
          let (luma, blue, red) = (Double(stored.samples[(y * stored.width + x) * 3]), mean(1) - 128, mean(2) - 128)
          // ITU-T T.871, 7.
          let expected = [luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue]
          for (channel, value) in expected.enumerated() where (2...253).contains(value) {
            let own = Double(overview.bytes[(y * stored.width + x) * 3 + channel])
            #expect(abs(own - value) <= 2.5, "\(channel) at \(x), \(y)")
          }
        }
      }
    }
  }

  /// A quarter from the lowest frequencies is a little smoother than libjpeg's; the means of four pixels are equal.
  @Test func quarterOfTheIndexIsNearlyLibjpegs() throws {
    let photograph = try referencePixels(fixtureBytes("astronaut.jpg"))
    for recipe in [JPEGRecipe.baseline420, .baseline422, .baseline444] {
      let jpeg = try recipe.encode(photograph)
      let job = Job(limits: Limits(), cancellation: Cancellation(), progress: nil)
      func luma(scale: Int) throws -> PixelBuffer {
        try unsafe jpeg.withUnsafeBufferPointer { bytes in
          let index = try #require(
            try unsafe JPEGIndex(reading: bytes, isFileMapping: false, overviewScale: scale, job: job))
          return try #require(try index.overview(planes: 1, format: .gray))
        }
      }
      let (quarter, eighth) = (try luma(scale: 2), try luma(scale: 1))
      let expected = try referencePixels(jpeg, scale: 2, as: .gray)
      #expect(quarter.size == PixelSize(width: expected.width, height: expected.height))
      #expect(Pixels(quarter).meanDifference(from: expected) < 2)
      for y in 0..<quarter.size.height / 2 {
        for x in 0..<quarter.size.width / 2 {
          let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map {
            quarter.bytes[(2 * y + $0.1) * quarter.size.width + 2 * x + $0.0]
          }
          // Clamped values have another mean.
          guard four.allSatisfy({ (1...254).contains($0) }) else { continue }
          let mean = Double(four.reduce(0) { $0 + Int($1) }) / 4
          #expect(abs(mean - Double(eighth.bytes[y * eighth.size.width + x])) <= 1.5)
        }
      }
    }
  }

  /// Colors of progressive files, from their DC scan, and of files without planes.
  @Test func colorOverviewsOfAllKinds() throws {
    for (name, recipe) in JPEGRecipe.allKinds {
      for width in [300, 4_100] {
        // Smooth, so that repeating coarse chroma matters little.
        let picture = Pixels.testPattern(width: width / 50, height: 2, channels: recipe.channels, seed: 8)
          .resizedBilinear(width: width, height: 100)
        let jpeg = try recipe.encode(picture)
        let scale = JPEGSession.overviewScale(for: PixelSize(width: width, height: 100), smallest: Overview.smallest)
        let overview = try JPEGSession.with(jpeg, access: .sequential) { (session) throws(FaceCropError) in
          try session.overview(format: .rgb)
        }
        let reference = try PixelBuffer(referencePixels(jpeg, scale: scale)).inColor()
        let expected = try reference.shrunk(toLongSide: Overview.side)
        #expect(Pixels(overview).meanDifference(from: Pixels(expected)) < 3, "\(name), \(width)")
      }
    }
  }

  @Test func largePicturesAreShrunkTo640() throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 8_000, height: 64, channels: 3, seed: 8))
    for (smallest, size) in [
      (Overview.side, PixelSize(width: 640, height: 5)), (Overview.smallest, PixelSize(width: 500, height: 4)),
    ] {
      let overview = try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in
        try session.overview(smallest: smallest)
      }
      #expect(overview.size == size)
    }
  }

  /// A progressive file's first scan is enough for the overview: without its other scans the file gives the same one.
  @Test func theLookAtAProgressiveFileStopsAfterItsFirstScan() throws {
    let jpeg = try JPEGRecipe.progressive.encode(.testPattern(width: 4_000, height: 128, channels: 3, seed: 8))
    let start = try #require(JPEGSurgery.entropyOffset(in: jpeg))
    let second = try #require((start..<jpeg.count - 1).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC4 })
    let whole = try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in try session.overview() }
    // No error although the file is truncated: the data after the first scan were never read.
    let first = try JPEGSession.with(Array(jpeg.prefix(second + 40))) { (session) throws(FaceCropError) in
      try session.overview()
    }
    #expect(first == whole)
  }

  @Test func scansAreLimited() throws {
    let jpeg = try JPEGRecipe.progressive.encode(.testPattern(width: 200, height: 90, channels: 3, seed: 8))
    var limits = Limits()
    limits.scans = 10  // libjpeg's progression for color
    _ = try JPEGSession.with(jpeg, limits: limits) { (session) throws(FaceCropError) in try session.overview() }
    limits.scans = 9
    #expect(throws: FaceCropError.overLimit(.scans, actual: 10, allowed: 9)) {
      try JPEGSession.with(jpeg, limits: limits) { (session) throws(FaceCropError) in try session.overview() }
    }
  }
}
