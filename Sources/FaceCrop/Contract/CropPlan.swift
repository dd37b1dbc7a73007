/// What was found in a picture, and which regions of it are wanted: the result of the first phase.
///
/// A plan is a value. It can be printed, stored as JSON, edited, and applied again to the same picture, now or on
/// another machine; rendering from it gives the same pixels. All rectangles are normalized and in displayed space.
public struct CropPlan: Hashable, Sendable {
  /// The format of the JSON; this version reads and writes 1.
  public static let currentVersion = 1

  /// One region, and what an output shows of it.
  public struct Crop: Hashable, Sendable, Codable {
    /// The part of the picture to decode.
    public var region: NormalizedRect
    /// What the output shows, where that is more than the region: it reaches out of the picture, and is filled there.
    public var frame: NormalizedRect?
    /// What the output shows where it is turned, out of region or frame.
    public var turn: Turn?
    /// Indices into ``CropPlan/faces`` of those that the region is for; empty when it is for none.
    public var faces: [Int]
    /// The number in its output's name, where each face has one, counted from 1: it stays when other crops are taken out of the plan. Nil
    /// takes the next number that is free.
    public var number: Int?

    /// A crop of a plan that is written by hand.
    public init(
      region: NormalizedRect, frame: NormalizedRect? = nil, turn: Turn? = nil, faces: [Int], number: Int? = nil
    ) {
      self.region = region
      self.frame = frame
      self.turn = turn
      self.faces = faces
      self.number = number
    }

    /// A rectangle that is turned about its middle.
    public struct Turn: Hashable, Sendable, Codable {
      /// The angle in degrees, clockwise, as seen; the output is turned back by it. −180…180.
      public var degrees: Double
      /// The rectangle before it is turned.
      public var rect: NormalizedRect

      /// A rectangle turned by −180…180 degrees, clockwise.
      public init(degrees: Double, rect: NormalizedRect) {
        self.degrees = degrees
        self.rect = rect
      }
    }
  }

  /// The picture's size as displayed.
  public var source: PixelSize
  /// The name of the detector that looked.
  public var detector: String
  /// The faces that were found, highest score first.
  public var faces: [Face]
  /// Of a picture without a face, what was taken for one: nothing that the detector is sure of (``NoFacePolicy/maybe``). Its crop names no
  /// face.
  public var possibleFace: Face?
  /// One for each output; empty when there is nothing to write.
  public var crops: [Crop]

  /// A plan that is written by hand; decoding one from JSON checks it.
  public init(source: PixelSize, detector: String, faces: [Face], possibleFace: Face? = nil, crops: [Crop]) {
    self.source = source
    self.detector = detector
    self.faces = faces
    self.possibleFace = possibleFace
    self.crops = crops
  }
}

extension CropPlan {
  /// The number of each crop's output, counted from 1 and each once.
  public var outputNumbers: [Int] {
    var taken = Set(crops.compactMap(\.number))
    var next = 1
    return crops.map { crop in
      if let number = crop.number { return number }
      while !taken.insert(next).inserted { next += 1 }
      return next
    }
  }
}

extension CropPlan: Codable {
  private enum CodingKeys: CodingKey {
    case version, source, detector, faces, possibleFace, crops
  }

  /// Refuses other versions, sizes that are not positive, rectangles outside the picture and faces that do not exist.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == CropPlan.currentVersion else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container,
        debugDescription: "the plan has version \(version), but this facecrop reads version \(CropPlan.currentVersion)")
    }
    source = try container.decode(PixelSize.self, forKey: .source)
    detector = try container.decode(String.self, forKey: .detector)
    faces = try container.decode([Face].self, forKey: .faces)
    possibleFace = try container.decodeIfPresent(Face.self, forKey: .possibleFace)
    crops = try container.decode([Crop].self, forKey: .crops)
    do throws(Fault) {
      try check()
    } catch {
      let key: CodingKeys =
        switch error.member {
        case .source: .source
        case .faces: .faces
        case .crops: .crops
        }
      throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: error.clause)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(CropPlan.currentVersion, forKey: .version)
    try container.encode(source, forKey: .source)
    try container.encode(detector, forKey: .detector)
    try container.encode(faces, forKey: .faces)
    try container.encodeIfPresent(possibleFace, forKey: .possibleFace)
    try container.encode(crops, forKey: .crops)
  }
}

extension CropPlan.Crop {
  /// How many times as wide and high as the picture a frame may be.
  static let largestFrame = 20.0

  /// Whether the frame holds the region and is not absurdly larger: a plan may come from anyone.
  var hasUsableFrame: Bool {
    guard let frame else { return true }
    let slack = 1e-6
    return [frame.x, frame.y, frame.width, frame.height].allSatisfy(\.isFinite)
      && frame.x <= region.x + slack && frame.y <= region.y + slack
      && frame.maxX >= region.maxX - slack && frame.maxY >= region.maxY - slack
      && frame.width <= Self.largestFrame + slack && frame.height <= Self.largestFrame + slack
  }

  var hasUsableTurn: Bool {
    guard let turn else { return true }
    let rect = turn.rect
    return (-180...180).contains(turn.degrees) && [rect.x, rect.y].allSatisfy { abs($0) <= Self.largestFrame }
      && [rect.width, rect.height].allSatisfy { $0 > 0 && $0 <= Self.largestFrame * 1.000001 }
  }
}
