import FoundationEssentials
import Testing

@testable import FaceCrop

@Suite struct FramingTests {
  private static let presets: [Framing] = [.avatar, .portrait, .passport, .tight]

  /// Regions from only faces and padding need no heads, which cost a pass of another network each.
  @Test func framingsNeedHeads() {
    #expect(Self.presets.allSatisfy { Composition(.framing($0)).needsHeads })
    #expect(Composition(.fill()).needsHeads)
    #expect(!Composition(.faces(padding: Padding(0.5)), alignsEyes: true).needsHeads)
    #expect(Self.presets.map { Composition(.framing($0)).needsFineHeads } == [false, false, true, true])
  }

  /// An image, a face in it, and the requested framing.
  private struct Trial: CustomStringConvertible {
    var size: PixelSize
    var box: PixelRect
    var framing: Framing
    var padding = Padding()

    var description: String { "\(size) \(box) \(framing) \(padding)" }

    var ratio: Double { framing.aspect.width / framing.aspect.height }
    var picture: PixelRect { PixelRect(x: 0, y: 0, width: size.width, height: size.height) }
    var faceWidth: Double { Double(box.width) }
    var faceHeight: Double { Double(box.height) }
    /// The assumed height of the eyes in a box without landmarks.
    var eyes: Double { Double(box.y) + 0.39 * faceHeight }
    /// The top of its hair.
    var crown: Double { Double(box.y) - 0.27 * faceHeight }

    /// The frame in an infinite image.
    var ideal: Frame {
      FrameSearch(framing, around: FramedHead(of: [Face(box: box.normalized(in: size), score: 1)], in: size))
        .frame(padding: padding)
    }
    /// Whether a region with that aspect can contain the face.
    var canHoldFace: Bool {
      faceHeight * ratio <= Double(size.width) && faceWidth / ratio <= Double(size.height)
    }

    func crop(edge: EdgePolicy = .shift, eyes: Double? = nil) throws(FaceCropError) -> CropPlan.Crop {
      var request = CropRequest()
      request.composition.layout = .framing(framing, padding: padding, edge: edge)
      let height = Double(size.height)
      let face = Face(box: box.normalized(in: size), score: 1, landmarks: eyes.map { .level(y: $0 / height) })
      return try CropPlanner().crops(for: [face], in: size, search: request.search, composition: request.composition)[0]
    }

    func region(edge: EdgePolicy = .shift, eyes: Double? = nil) throws(FaceCropError) -> PixelRect {
      PixelRect(covering: try crop(edge: edge, eyes: eyes).region, in: size)
    }

    /// Returns the frame under `.pad`, which equals the region unless it extends past the image.
    func frame(eyes: Double? = nil) throws(FaceCropError) -> PixelRect {
      let crop = try crop(edge: .pad, eyes: eyes)
      return crop.frame.map { PixelRect(rounding: $0, in: size) } ?? PixelRect(covering: crop.region, in: size)
    }
  }

  private static func framing(_ random: inout SplitMix64) -> Framing {
    var framing =
      Bool.random(using: &random)
      ? presets.randomElement(using: &random)!
      : Framing(
        faceRatio: .random(in: 0.1...1, using: &random), eyeLine: .random(in: 0...1, using: &random),
        headroom: .random(in: 0..<1, using: &random))
    if Bool.random(using: &random) {
      framing.aspect = AspectRatio(width: .random(in: 0.3...3, using: &random), height: 1)
    }
    return framing
  }

  private static func trials(_ count: Int, seed: UInt64, pads: Bool = true) -> [Trial] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let size = PixelSize(
        width: .random(in: 1...4_000, using: &random), height: .random(in: 1...4_000, using: &random))
      var trial = Trial(size: size, box: random.rect(in: size), framing: framing(&random))
      if pads, Bool.random(using: &random) {
        trial.padding = Padding(
          top: .random(in: 0...1, using: &random), right: .random(in: 0...1, using: &random),
          bottom: .random(in: 0...1, using: &random), left: .random(in: 0...1, using: &random))
      }
      return trial
    }
  }

  /// Returns faces of a usual size, so far from the edges that no frame has to move.
  private static func roomyTrials(_ count: Int, seed: UInt64) -> [Trial] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let height = Int.random(in: 20...400, using: &random)
      let width = height * Int.random(in: 60...110, using: &random) / 100
      let size = PixelSize(width: 26_000, height: 9_000)
      return Trial(
        size: size,
        box: PixelRect(
          x: 13_000 + .random(in: -500...500, using: &random), y: 4_500 + .random(in: -300...300, using: &random),
          width: width, height: height), framing: framing(&random))
    }
  }

  // MARK: Shift

  @Test func regionsAreInsideHaveTheAspectAndHoldTheFace() throws {
    for trial in Self.trials(5_000, seed: 1) {
      let crop = try trial.crop()
      #expect(crop.region.isValid && crop.frame == nil, "\(trial)")
      let region = PixelRect(covering: crop.region, in: trial.size)
      #expect(region.normalized(in: trial.size) == crop.region, "\(trial): not whole pixels")
      if trial.canHoldFace { #expect(region.holds(trial.box), "\(trial): \(region)") }
      if region.width > 1, region.height > 1 {
        // Both sides are rounded to whole pixels.
        #expect(
          abs(Double(region.width) - Double(region.height) * trial.ratio) <= 0.5 + 0.5 * trial.ratio + 1e-6,
          "\(trial): \(region)")
      }
    }
  }

  /// With enough room, a common head is placed as the preset specifies, except for its hair.
  @Test func presetsPlaceACommonHead() throws {
    for preset in Self.presets {
      let box = PixelRect(x: 2_000, y: 2_000, width: 300, height: 400)
      let trial = Trial(size: PixelSize(width: 5_000, height: 5_000), box: box, framing: preset)
      let region = try trial.region()
      let height = Double(region.height)
      #expect(abs(height * preset.faceRatio - 400) <= 0.03 * 400, "\(preset): \(region)")
      #expect(
        abs(trial.eyes - Double(region.y) - preset.eyeLine * height) <= 0.025 * height + 1, "\(preset): \(region)")
      #expect(trial.crown - Double(region.y) >= min(preset.headroom, 0.02) * height - 1, "\(preset): \(region)")
      // Left and right of the face are equal.
      #expect(abs(2 * box.x + box.width - 2 * region.x - region.width) <= 2)
    }
  }

  @Test func framesAreNoLargerThanThePicture() throws {
    var (whole, shrunk) = (0, 0)
    for trial in Self.trials(3_000, seed: 2) {
      let region = try trial.region()
      if Double(region.height) < trial.ideal.height - 1 { shrunk += 1 }
      if region.width == trial.size.width || region.height == trial.size.height { whole += 1 }
    }
    #expect(whole > 300 && shrunk > 300, "\(whole), \(shrunk)")
  }

  @Test func aLargerFaceRatioShowsLess() throws {
    for var trial in Self.roomyTrials(500, seed: 3) {
      trial.framing.headroom = 0
      var previous = 1_000_000
      for ratio in [0.1, 0.2, 0.3, 0.46, 0.6, 0.72, 0.9] {
        trial.framing.faceRatio = ratio
        let height = try trial.region().height
        // Sizes are tried in steps.
        #expect(height <= previous + previous / 40 + 1, "\(trial): \(height), \(previous)")
        previous = height
      }
    }
  }

  /// The measured head of the image counts, not the average one.
  @Test func measuredHeadsArePlaced() throws {
    let size = PixelSize(width: 4_000, height: 4_000)
    let box = NormalizedRect(x: 0.45, y: 0.45, width: 0.08, height: 0.1)
    func edge(_ place: Double) -> Head.Edge { Head.Edge(position: place, confidence: 0.95) }
    for hair in stride(from: 0.0, through: 0.08, by: 0.01) {
      let head = Head(
        crown: edge(0.45 - hair), skull: edge(max(0.45 - hair, 0.425)), chin: edge(0.55), left: edge(0.44),
        right: edge(0.54))
      for preset in Self.presets where preset != .tight {
        let region = try CropPlanner().crops(
          for: [Face(box: box, score: 1, head: head)], in: size, composition: Composition(.framing(preset)))[0].region
        #expect(region.y <= 0.45 - hair + 0.001, "\(preset), \(hair): \(region)")
        #expect(region.maxY >= 0.55, "\(preset), \(hair): \(region)")
        if preset == .passport, (0.02...0.04).contains(hair) {
          #expect((0.7...0.8).contains(head.height / region.height), "\(hair): \(region)")
        }
      }
    }
  }

  /// The frame shrinks rather than push the head off-center.
  @Test func framesShrinkBeforeTheyMoveOffTheMiddle() throws {
    let size = PixelSize(width: 1_000, height: 1_000)
    let box = NormalizedRect(x: 0.1, y: 0.4, width: 0.16, height: 0.2)
    let region = try CropPlanner().crops(
      for: [Face(box: box, score: 1)], in: size, composition: Composition(.framing(.avatar)))[0].region
    #expect(abs(region.midX - 0.18) <= 0.03 * region.width, "\(region)")
    #expect(0.2 / region.height <= Framing.avatar.largestFaceRatio * 1.03 && 0.2 / region.height > 0.5, "\(region)")
    // Too close to the edge, it moves.
    let near = try CropPlanner().crops(
      for: [Face(box: NormalizedRect(x: 0, y: 0.4, width: 0.16, height: 0.2), score: 1)], in: size,
      composition: Composition(.framing(.avatar)))[0].region
    #expect(near.x == 0 && 0.2 / near.height <= 0.8, "\(near)")
  }

  /// Half a neighbor's face is excluded if that costs little.
  @Test func neighborsHalfFacesAreKeptOut() throws {
    let size = PixelSize(width: 2_000, height: 1_000)
    let face = Face(box: NormalizedRect(x: 0.4, y: 0.4, width: 0.08, height: 0.2), score: 1)
    var search = FaceSearch()
    search.faces = .number(1)
    let alone = try CropPlanner().crops(
      for: [face], in: size, search: search, composition: Composition(.framing(.avatar)))[0]
      .region
    let other = Face(
      box: NormalizedRect(x: alone.maxX - 0.03, y: 0.4, width: 0.08, height: 0.2), score: 0.9)
    let beside = try CropPlanner().crops(
      for: [face, other], in: size, search: search, composition: Composition(.framing(.avatar)))[0].region
    #expect(beside.maxX < alone.maxX - 0.015, "\(alone), \(beside)")
    #expect(abs(beside.midX - 0.44) < 0.08 * beside.width)
  }

  @Test func landmarksMoveTheEyeLine() throws {
    let box = PixelRect(x: 2_000, y: 2_000, width: 300, height: 400)
    let framing = Framing(faceRatio: 0.4, eyeLine: 0.5, headroom: 0.02)
    let trial = Trial(size: PixelSize(width: 5_000, height: 5_000), box: box, framing: framing)
    // Still lower, there would be hair above the frame.
    for eyes in stride(from: 2_100.0, through: 2_250, by: 25) {
      let region = try trial.region(eyes: eyes)
      let height = Double(region.height)
      #expect(abs(eyes - Double(region.y) - 0.5 * height) <= 0.021 * height + 1, "\(eyes): \(region)")
      #expect(try trial.frame(eyes: eyes) == region)
    }
    // No landmark moves the face out of its image.
    for eyes in [-.greatestFiniteMagnitude, -1e6, 0, 5_000, 1e6, .greatestFiniteMagnitude] {
      let region = try trial.region(eyes: eyes)
      #expect(region.holds(box), "\(eyes): \(region)")
      #expect(try trial.frame(eyes: eyes).holds(box))
    }
  }

  @Test func severalFacesAreAllInside() throws {
    var random = SplitMix64(seed: 6)
    for _ in 0..<2_000 {
      let size = PixelSize(
        width: .random(in: 100...3_000, using: &random), height: .random(in: 100...3_000, using: &random))
      let boxes = (0..<Int.random(in: 2...5, using: &random)).map { _ in random.rect(in: size) }
      let faces = boxes.map { Face(box: $0.normalized(in: size), score: 1) }
      var request = CropRequest()
      request.composition.layout = .framing(Self.framing(&random))
      let union = PixelRect(
        covering: faces.dropFirst().reduce(faces[0].box) { $0.union($1.box) }, in: size)
      let trial = Trial(size: size, box: union, framing: request.composition.layout.framing!)
      let crop = try CropPlanner().crops(
        for: faces, in: size, search: request.search, composition: request.composition)[0]
      let region = PixelRect(covering: crop.region, in: size)
      if !trial.canHoldFace {
        #expect(!crop.faces.isEmpty && Set(crop.faces).isSubset(of: faces.indices))
      } else {
        #expect(crop.faces == Array(faces.indices))
        for box in boxes { #expect(region.holds(box), "\(size) \(boxes) \(request.composition.layout): \(region)") }
      }
      (request.search.faces, request.search.order) = (.each, .confidence)
      #expect(
        try CropPlanner().crops(for: faces, in: size, search: request.search, composition: request.composition).map(
          \.faces) == boxes.indices.map { [$0] })

      request.search.faces = .union
      request.pad(by: .blur)
      guard
        let padded = try? CropPlanner().crops(
          for: faces, in: size, search: request.search, composition: request.composition)[0]
      else { continue }
      let shown = padded.frame.map { PixelRect(rounding: $0, in: size) } ?? PixelRect(covering: padded.region, in: size)
      for box in boxes { #expect(shown.holds(box), "\(size) \(boxes) \(request.composition.layout): \(shown)") }
    }
  }

  @Test func theRequestsAspectWins() throws {
    var request = CropRequest()
    request.composition.layout = .framing(.portrait)
    request.composition.layout.aspect = AspectRatio(width: 2, height: 1)
    let size = PixelSize(width: 2_000, height: 2_000)
    let face = Face(box: NormalizedRect(x: 0.45, y: 0.45, width: 0.1, height: 0.1), score: 1)
    let region = PixelRect(
      covering: try CropPlanner().crops(
        for: [face], in: size, search: request.search, composition: request.composition)[0].region, in: size)
    #expect(region.size == PixelSize(width: 1_250, height: 625))
    // Without a face, the crop is centered with the framing's shape.
    request.composition.layout = .framing(.portrait)
    request.search.noFace = .center
    let center = try CropPlanner().crops(for: [], in: size, search: request.search, composition: request.composition)[0]
      .region
    #expect(PixelRect(covering: center, in: size) == PixelRect(x: 200, y: 0, width: 1_600, height: 2_000))
  }

  // MARK: Pad

  @Test func paddedFramesAreAsAskedWhereverTheyReach() throws {
    for trial in Self.trials(5_000, seed: 7) {
      let (width, height) = (Double(trial.size.width), Double(trial.size.height))
      let ideal = trial.ideal
      if max(ideal.width / width, ideal.height / height) > 20 {
        #expect { try trial.crop(edge: .pad) } throws: { ($0 as? FaceCropError)?.kind == "invalid" }
        continue
      }
      let crop = try trial.crop(edge: .pad)
      #expect(crop.region.isValid && crop.hasUsableFrame, "\(trial): \(crop)")
      let region = PixelRect(covering: crop.region, in: trial.size)
      let frame = try trial.frame()
      #expect(abs(Double(frame.width) - max(ideal.width, 1)) <= 0.5 + 1e-6, "\(trial): \(frame)")
      #expect(abs(Double(frame.height) - max(ideal.height, 1)) <= 0.5 + 1e-6, "\(trial): \(frame)")
      #expect(region == frame.intersection(trial.picture), "\(trial): \(region), \(frame)")
      #expect((crop.frame == nil) == (frame == region), "\(trial)")
      #expect(frame.holds(trial.box), "\(trial): \(frame)")

      // Each side has its padding.
      let (box, padding) = (trial.box, trial.padding)
      #expect(Double(box.y - frame.y) >= padding.top * trial.faceHeight - 1, "\(trial): \(frame)")
      #expect(Double(box.x - frame.x) >= padding.left * trial.faceWidth - 1, "\(trial): \(frame)")
      let (right, below) = (frame.x + frame.width - box.x - box.width, frame.y + frame.height - box.y - box.height)
      #expect(Double(right) >= padding.right * trial.faceWidth - 1, "\(trial): \(frame)")
      #expect(Double(below) >= padding.bottom * trial.faceHeight - 1, "\(trial): \(frame)")
    }
  }

  /// No more than the largest share of a frame is filled. The frame is moved and shrunk only as far as that needs.
  @Test func theFilledShareIsLimited() throws {
    var limited = 0
    for trial in Self.trials(1_000, seed: 31) {
      guard let padded = try? trial.crop(edge: .pad) else { continue }
      func share(_ crop: CropPlan.Crop) -> Double {
        CropPlan(source: trial.size, detector: "", faces: [], crops: [crop]).paddedShares[0]
      }
      for most in [0, 0.1, 0.5] {
        var bounded = trial
        bounded.framing.largestPaddedShare = most
        let crop = try bounded.crop(edge: .pad)
        #expect(crop.hasUsableFrame, "\(trial)")
        if most == 0 {
          #expect(try crop == trial.crop(), "\(trial)")
        } else if share(padded) <= most {
          #expect(crop == padded, "\(trial)")
        } else if let frame = crop.frame.map({ PixelRect(rounding: $0, in: trial.size) }), frame.size.shortSide > 100 {
          #expect(share(crop) <= most && share(crop) > most - 0.03, "\(trial): \(share(crop))")
          if trial.canHoldFace {
            #expect(trial.box.x >= frame.x - 1 && trial.box.y >= frame.y - 1, "\(trial): \(frame)")
          }
          limited += 1
        }
      }
    }
    #expect(limited > 200, "\(limited)")
    for wrong in [-0.1, 1.1, .nan] {
      let composition = Composition(.framing(with(.avatar) { $0.largestPaddedShare = wrong }, edge: .pad))
      #expect(throws: FaceCropError.self) {
        try CropPlanner().crops(for: [], in: PixelSize(width: 9, height: 9), composition: composition)
      }
    }
  }

  @Test func framesThatFitIgnoreThePolicy() throws {
    for trial in Self.roomyTrials(1_000, seed: 9) {
      let crop = try trial.crop(edge: .pad)
      #expect(crop.frame == nil)
      #expect(try trial.crop() == crop, "\(trial)")
    }
  }

  // MARK: Plans

  @Test func plansWithFramesSurviveJSON() throws {
    var framed = 0
    for trial in Self.trials(500, seed: 10) {
      guard let crop = try? trial.crop(edge: .pad) else { continue }
      let plan = CropPlan(
        source: trial.size, detector: "x", faces: [Face(box: trial.box.normalized(in: trial.size), score: 1)],
        crops: [crop])
      let decoded = try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(plan))
      #expect(decoded == plan, "\(trial)")
      if crop.frame != nil { framed += 1 }
    }
    #expect(framed > 200)
  }

  @Test(arguments: [
    #"{"x":0.3,"y":0,"width":1,"height":1}"#, #"{"x":0,"y":0,"width":0.7,"height":1}"#,
    #"{"x":0,"y":0,"width":21,"height":1}"#, #"{"x":-20.5,"y":0,"width":21.5,"height":1}"#,
    #"{"x":0,"y":0,"width":1,"height":1e9}"#, #"{"x":0,"y":0,"width":-1,"height":1}"#,
    #"{"x":1e400,"y":0,"width":1,"height":1}"#, #"{"x":0,"y":0,"width":1}"#, #"[0,0,1,1]"#,
  ])
  func absurdFramesAreRefused(frame: String) {
    let json = """
      {"version":1,"source":{"width":40,"height":30},"detector":"x","faces":[],
      "crops":[{"region":{"x":0.25,"y":0.25,"width":0.5,"height":0.5},"frame":\(frame),"faces":[]}]}
      """
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(CropPlan.self, from: Data(json.utf8)) }
  }

  // MARK: Requests

  @Test func impossibleFramingsAreRefused() {
    let changes: [(inout Framing) -> Void] = [
      { $0.faceRatio = 0 }, { $0.faceRatio = -0.1 }, { $0.faceRatio = 1.01 }, { $0.faceRatio = .nan },
      { $0.eyeLine = -0.1 }, { $0.eyeLine = 1.1 }, { $0.eyeLine = .nan },
      { $0.headroom = -0.1 }, { $0.headroom = 1 }, { $0.largestFaceRatio = 0 }, { $0.largestFaceRatio = .nan },
      { $0.headroom = .nan }, { $0.headroom = .infinity },
      { $0.aspect = AspectRatio(width: 0, height: 1) },
      { $0.aspect = AspectRatio(width: -1, height: -1) },
      { $0.aspect = AspectRatio(width: 1, height: .infinity) },
      { $0.aspect = AspectRatio(width: .nan, height: 1) },
    ]
    for change in changes {
      var trial = Trial(
        size: PixelSize(width: 100, height: 100), box: PixelRect(x: 40, y: 40, width: 10, height: 10), framing: .avatar)
      change(&trial.framing)
      for edge in [EdgePolicy.shift, .pad] {
        #expect { try trial.crop(edge: edge) } throws: { ($0 as? FaceCropError)?.kind == "invalid" }
      }
    }
  }

  /// Absurd requests never trap; a frame that no plan may have is refused.
  @Test func hugeNumbersDoNotTrap() throws {
    let framings = [Double.leastNonzeroMagnitude, 1e-300, 1e-9, 1].flatMap { ratio in
      [0.0, 0.5, 0.999].flatMap { headroom in
        [Double.leastNonzeroMagnitude, 1e-300, 1, 1e300].map { aspect in
          Framing(
            faceRatio: ratio, eyeLine: 0.4, headroom: headroom, aspect: AspectRatio(width: aspect, height: 1))
        }
      }
    }
    for framing in framings {
      for padding in [Padding(.greatestFiniteMagnitude), Padding(left: 1e300), Padding(1e12), Padding()] {
        let trial = Trial(
          size: PixelSize(width: 1_000, height: 500), box: PixelRect(x: 700, y: 200, width: 100, height: 100),
          framing: framing, padding: padding)
        let region = try trial.region()
        #expect(trial.picture.holds(region), "\(trial): \(region)")
        #expect(region.holds(trial.box) || !trial.canHoldFace, "\(trial): \(region)")
        do throws(FaceCropError) {
          #expect(try trial.crop(edge: .pad).hasUsableFrame)
        } catch {
          #expect(error.kind == "invalid")
        }
      }
    }
  }

  /// Boxes between pixels, down to almost no size.
  @Test func anyBoxGivesAUsableCrop() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<5_000 {
      let side = [1, 2, 3, 10, 1_000].randomElement(using: &random)!
      let size = PixelSize(width: .random(in: 1...side, using: &random), height: .random(in: 1...side, using: &random))
      let x = Double.random(in: 0..<1, using: &random)
      let y = Double.random(in: 0..<1, using: &random)
      let box = NormalizedRect(
        x: x, y: y, width: (1 - x) * [1e-9, .random(in: 0.01...1, using: &random), 1].randomElement(using: &random)!,
        height: (1 - y) * [1e-9, .random(in: 0.01...1, using: &random), 1].randomElement(using: &random)!)
      var request = CropRequest()
      request.composition.layout = .framing(Self.framing(&random))
      for edge in [EdgePolicy.shift, .pad] {
        request.composition.layout.edge = edge
        guard
          let crop = try? CropPlanner().crops(
            for: [Face(box: box, score: 1)], in: size, search: request.search, composition: request.composition)[0]
        else {
          #expect(edge != .shift, "\(size) \(box) \(request.composition.layout)")
          continue
        }
        #expect(
          crop.region.isValid && crop.hasUsableFrame, "\(size) \(box) \(request.composition.layout): \(crop)")
      }
    }
  }
}

extension Head {
  fileprivate var height: Double { chin.position - skull.position }
}

extension PixelRect {
  fileprivate func holds(_ other: PixelRect) -> Bool { intersection(other) == other }
}

extension FaceLandmarks {
  /// Returns landmarks with both eyes at one height, and the others anywhere.
  fileprivate static func level(y: Double) -> FaceLandmarks {
    let point = NormalizedPoint(x: 0.5, y: y)
    return FaceLandmarks(rightEye: point, leftEye: point, nose: point, mouthRight: point, mouthLeft: point)
  }
}
