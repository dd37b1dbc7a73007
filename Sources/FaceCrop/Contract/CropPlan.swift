/// The faces found in an image, and the crop regions: the result of the detection pass.
///
/// A plan is a value. You can print it, store it as JSON, edit it, and apply it again to the same image, now or on
/// another machine. Rendering it gives the same pixels. All rectangles are normalized, in the image as displayed.
///
/// The JSON form has `version` (``currentVersion``), `source`, `detector`, `faces`, `crops`, and `possibleFace` and
/// ``origin`` if there is one. It has `rotation`, in degrees, and `animationFrame` only if they are not 0, `chosen` only
/// with a face, and `facesAreComplete` only if it is false. `padded` has ``paddedShares`` if one is not 0. Decoding
/// ignores `origin` and `padded`. Faces have the form of ``Face``.
/// A crop has `region` and `faces`, and `frame`, `turn`, `template`, `number`, `background` and `strokes` if they are not
/// nil.
public struct CropPlan: Hashable, Sendable {
  /// The version of the JSON format. This release reads and writes 1.
  public static let currentVersion = 1
  /// The upper bound of crops, and of faces. An image of an audience has some hundred.
  public static let most = 5_000

  /// A crop region, and the view of it that an output shows.
  ///
  /// The rectangles depend on each other: see <doc:Plans> before you edit one. Decoding and rendering check that the
  /// region has all pixels that the output shows.
  public struct Crop: Hashable, Sendable, Codable {
    /// The region of the image to decode. The output shows it if `frame` and `turn` are nil.
    public var region: NormalizedRect
    /// The rectangle that the output shows if it reaches out of the image. The area outside is filled. Its part in the
    /// image is the region. Nil shows the region.
    public var frame: NormalizedRect?
    /// The rotated rectangle that the output shows, inside the region or frame. Nil rotates nothing.
    public var turn: Turn?
    /// The template that gives the output its size and its border; it needs `turn`. Nil without one.
    public var template: FaceTemplate?
    /// The indices into ``CropPlan/faces`` of the faces in this crop. Empty for a crop without a face.
    public var faces: [Int]
    /// The number in the output's name, if each face has an output; 1 to 1,000,000. It stays if you remove other crops
    /// from the plan. Nil takes a number after all others; see ``CropPlan/outputNumbers``.
    public var number: Int?
    /// The background of the output, in place of the request's. Nil leaves it to ``CropOutput/background``.
    public var background: PlannedBackground?
    /// The strokes that correct the cut-out of a new background, with at most ``CutoutStroke/mostPoints`` points together.
    /// Nil for none. A crop with its own background does not use them.
    public var strokes: [CutoutStroke]?

    /// Creates a crop of a plan that you write yourself.
    public init(
      region: NormalizedRect, frame: NormalizedRect? = nil, turn: Turn? = nil, template: FaceTemplate? = nil,
      faces: [Int], number: Int? = nil, background: PlannedBackground? = nil, strokes: [CutoutStroke]? = nil
    ) {
      (self.region, self.frame, self.turn, self.template) = (region, frame, turn, template)
      (self.faces, self.number, self.background, self.strokes) = (faces, number, background, strokes)
    }

    /// A rectangle rotated about its center.
    public struct Turn: Hashable, Sendable, Codable {
      /// The clockwise angle in degrees, −180…180. The output is rotated back by it.
      public var degrees: Double
      /// The rectangle before rotation.
      public var rect: NormalizedRect

      /// Creates a rectangle rotated clockwise by −180…180 degrees.
      public init(degrees: Double, rect: NormalizedRect) {
        (self.degrees, self.rect) = (degrees, rect)
      }
    }
  }

  /// The image's size in pixels, as displayed and rotated.
  public var source: PixelSize
  /// The clockwise rotation of the image as displayed that makes the faces upright; see ``FaceSearch/upright``. All
  /// rectangles are those in the rotated image.
  public var rotation: QuarterTurn
  /// The frame of an animation that is cropped, from 0; see ``AnimationPolicy/best``. It is 0 for other images.
  public var animationFrame: Int
  /// The name of the detector.
  public var detector: String
  /// The faces, highest score first.
  public var faces: [Face]
  /// The index in ``faces`` of the person that every request for ``FaceSelection/prominent`` takes; nil if it is unknown.
  public var chosen: Int?
  /// Whether the search for ``faces`` was not cut short; see ``Detection/facesAreComplete``.
  public var facesAreComplete: Bool
  /// The best candidate in an image without a face; see ``NoFacePolicy/bestGuess`` and ``NoFacePolicy/person``. Its score
  /// is below the detector's threshold, or that of a person's shape, and its crop has no face.
  public var possibleFace: Face?
  /// The crops, one for each output. Empty if there is nothing to write.
  public var crops: [Crop]

  /// Creates a plan yourself. Decoding one from JSON checks it.
  public init(
    source: PixelSize, rotation: QuarterTurn = .none, animationFrame: Int = 0, detector: String, faces: [Face],
    chosen: Int? = nil, facesAreComplete: Bool = true, possibleFace: Face? = nil, crops: [Crop]
  ) {
    (self.source, self.rotation, self.animationFrame) = (source, rotation, animationFrame)
    (self.detector, self.faces, self.chosen) = (detector, faces, chosen)
    (self.facesAreComplete, self.possibleFace, self.crops) = (facesAreComplete, possibleFace, crops)
  }

  /// Creates the plan of a region of an image whose faces were not searched.
  init(showing region: NormalizedRect, of source: PixelSize) {
    self.init(source: source, detector: "", faces: [], crops: [Crop(region: region, faces: [])])
  }

  /// The number of each crop's output, from 1. No number occurs twice, unless ``Crop/number`` repeats one.
  ///
  /// Crops without a number count on from the highest number of the other crops, or from the number of ``faces`` if it
  /// is higher. An added crop therefore never takes the number of a removed face. If no crop has a number, they count
  /// from 1.
  public var outputNumbers: [Int] {
    let given = crops.compactMap(\.number)
    // The number of a removed face may be the key of a name, or that of an earlier output.
    var last = given.isEmpty ? 0 : given.reduce(faces.count, max)
    return crops.map { crop in
      if let number = crop.number { return number }
      last = last.addingClamped(1)
      return last
    }
  }

  /// The share of each crop's area that lies outside the image and that ``CropOutput/fill`` fills, 0…1.
  public var paddedShares: [Double] {
    crops.map { crop in
      guard let frame = crop.frame else { return 0 }
      return CropView(frame: (crop.turn?.rect ?? frame).frame(in: source), degrees: crop.turn?.degrees ?? 0)
        .share(outside: source)
    }
  }
}

extension CropPlan.Crop {
  private enum CodingKeys: CodingKey {
    case region, frame, turn, faces, number, template, background, strokes
  }

  /// Decodes a crop. One without `faces`, such as a rectangle drawn by hand, has none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    region = try container.decode(NormalizedRect.self, forKey: .region)
    frame = try container.decodeIfPresent(NormalizedRect.self, forKey: .frame)
    turn = try container.decodeIfPresent(Turn.self, forKey: .turn)
    faces = try container.decodeIfPresent([Int].self, forKey: .faces) ?? []
    number = try container.decodeIfPresent(Int.self, forKey: .number)
    template = try container.decodeIfPresent(FaceTemplate.self, forKey: .template)
    background = try container.decodeIfPresent(PlannedBackground.self, forKey: .background)
    strokes = try container.decodeIfPresent([CutoutStroke].self, forKey: .strokes)
  }

  /// The upper bound of a frame's width and height, in widths and heights of the image.
  static let largestFrame = 20.0

  /// Whether the frame contains the region and is not too large. The check is needed because plans can be untrusted.
  var hasUsableFrame: Bool {
    guard let frame else { return true }
    // Four numbers that are rounded to three decimals differ by up to 0.002.
    let slack = 0.002 + 1e-6
    return [frame.x, frame.y, frame.width, frame.height].allSatisfy(\.isFinite)
      && frame.x <= region.x + slack && frame.y <= region.y + slack
      && frame.maxX >= region.maxX - slack && frame.maxY >= region.maxY - slack
      && frame.width <= Self.largestFrame + slack && frame.height <= Self.largestFrame + slack
  }
}

extension CropPlan: Codable {
  enum CodingKeys: CodingKey {
    case version, source, rotation, animationFrame, detector, faces, chosen, facesAreComplete, possibleFace, crops
    case padded, origin
  }

  /// Decodes and checks a plan. It throws `DecodingError` for other versions, sizes that are not positive, rectangles
  /// outside the image, missing faces, and more than ``most`` faces or crops.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == CropPlan.currentVersion else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container,
        debugDescription: "the plan has version \(version), but this facecrop reads version \(CropPlan.currentVersion)")
    }
    // Before any of them is decoded.
    for key in [CodingKeys.faces, .crops]
    where try container.nestedUnkeyedContainer(forKey: key).count ?? 0 > Self.most {
      throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: Self.tooMany)
    }
    source = try container.decode(PixelSize.self, forKey: .source)
    rotation = try container.decodeIfPresent(QuarterTurn.self, forKey: .rotation) ?? .none
    animationFrame = try container.decodeIfPresent(Int.self, forKey: .animationFrame) ?? 0
    detector = try container.decode(String.self, forKey: .detector)
    faces = try container.decode([Face].self, forKey: .faces)
    chosen = try container.decodeIfPresent(Int.self, forKey: .chosen)
    facesAreComplete = try container.decodeIfPresent(Bool.self, forKey: .facesAreComplete) ?? true
    possibleFace = try container.decodeIfPresent(Face.self, forKey: .possibleFace)
    crops = try container.decode([Crop].self, forKey: .crops)
    do throws(ValidationError) {
      try check()
    } catch {
      throw DecodingError.dataCorruptedError(forKey: error.member, in: container, debugDescription: error.clause)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(CropPlan.currentVersion, forKey: .version)
    try container.encode(source, forKey: .source)
    if rotation != .none { try container.encode(rotation, forKey: .rotation) }
    if animationFrame != 0 { try container.encode(animationFrame, forKey: .animationFrame) }
    try container.encode(detector, forKey: .detector)
    try container.encode(faces, forKey: .faces)
    try container.encodeIfPresent(chosen, forKey: .chosen)
    if !facesAreComplete { try container.encode(false, forKey: .facesAreComplete) }
    try container.encodeIfPresent(possibleFace, forKey: .possibleFace)
    try container.encode(crops, forKey: .crops)
    let padded = paddedShares
    if padded.contains(where: { $0 > 0 }) { try container.encode(padded, forKey: .padded) }
    try container.encodeIfPresent(origin, forKey: .origin)
  }
}

extension CropPlan.Crop.Turn {
  var isUsable: Bool {
    let largest = CropPlan.Crop.largestFrame
    return (-180...180).contains(degrees) && [rect.x, rect.y].allSatisfy { abs($0) <= largest }
      && [rect.width, rect.height].allSatisfy { $0 > 0 && $0 <= largest * 1.000001 }
  }
}
