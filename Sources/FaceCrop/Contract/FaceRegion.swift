/// A face that a photo manager marked in an image, with the person's name.
public struct FaceRegion: Hashable, Sendable, StableKeyed {
  /// The scheme of the metadata.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The schema of the Metadata Working Group, 2.0, by Lightroom, digiKam, Picasa and others.
    case mwg
    /// Microsoft's `MP:RegionInfo`, by Windows Photo Gallery.
    case microsoft
    /// `ImageRegion` of the IPTC Photo Metadata Standard.
    case iptc
    /// The regions of ACDSee.
    case acdsee
    /// The file `.picasa.ini` beside an image.
    case picasa
  }

  /// The person's name; nil if the region has none.
  public var name: String?
  /// The region in fractions of the image as displayed.
  public var box: NormalizedRect
  /// The scheme of the metadata.
  public var source: Source

  /// Creates a region.
  public init(name: String?, box: NormalizedRect, source: Source) {
    self.name = name
    self.box = box
    self.source = source
  }

  /// The most regions of an image that are read.
  public static let most = 500
  /// The longest name that is read, in bytes of UTF-8.
  static let longestName = 1_024

  /// The overlap from which a face and a region are the same person. Regions by hand are often whole heads, which are
  /// 1.5 to 3 times as large as a face box.
  static let leastOverlap = 0.2

  /// Returns whether this is the name of a person: letters' case and surrounding space do not count.
  static func isSame(_ name: String, _ other: String) -> Bool { folded(name) == folded(other) }

  private static func folded(_ name: String) -> String {
    String(name.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()).lowercased()
  }

  /// Returns the faces with the names of the regions that they overlap. Each region names one face, the pairs with the
  /// largest overlap first. A named region without a face is added as one, with score 0.
  static func named(_ faces: [Face], by regions: [FaceRegion]) -> [Face] {
    var faces = faces
    let named = regions.filter { $0.name != nil }
    var pairs: [(face: Int, region: Int, overlap: Double)] = []
    for (index, face) in faces.enumerated() {
      for (number, region) in named.enumerated() {
        let overlap = face.box.intersectionOverUnion(region.box)
        if overlap >= leastOverlap { pairs.append((index, number, overlap)) }
      }
    }
    pairs.sort { ($1.overlap, $0.face, $0.region) < ($0.overlap, $1.face, $1.region) }
    var taken: Set<Int> = []
    for pair in pairs where faces[pair.face].name == nil && !taken.contains(pair.region) {
      faces[pair.face].name = named[pair.region].name
      taken.insert(pair.region)
    }
    for (number, region) in named.enumerated() where !taken.contains(number) {
      // Several schemes often mark the same person.
      let isKnown = faces.contains {
        isSame($0.name ?? "", region.name ?? "") && $0.box.intersectionOverSmaller(region.box) > leastOverlap
      }
      guard !isKnown, region.box.isValid else { continue }
      faces.append(Face(box: region.box, score: 0, detectors: ["region"], name: region.name))
    }
    return faces
  }

  public func write(to key: inout StableKey) {
    key.field("name", name)
    key.field("box", [box.x, box.y, box.width, box.height])
    key.field("source", source.rawValue)
  }
}

/// Metadata about faces in files beside an image.
public struct RegionSources: Hashable, Sendable, StableKeyed {
  /// An XMP packet, at most ``CropOutput/largestSidecar`` bytes. Its regions precede the image's own.
  public var sidecar: [UInt8]?
  /// Other regions, such as those of `.picasa.ini`. They follow the image's own.
  public var others: [FaceRegion]

  /// Creates sources; empty by default.
  public init(sidecar: [UInt8]? = nil, others: [FaceRegion] = []) {
    self.sidecar = sidecar
    self.others = others
  }

  public func write(to key: inout StableKey) {
    key.field("sidecar", sidecar.map { ContentHash(of: $0).hexadecimal })
    key.field("others", others)
  }
}
