/// A reader for the faces in an XMP packet: the schemas of the Metadata Working Group, Microsoft, IPTC and ACDSee.
///
/// Each list item becomes a table of short texts. Attributes, elements and nested descriptions are equal (ISO 16684-1,
/// clause 7).
final class RegionReader: XMLHandler {
  /// A region as stored.
  struct Item: Equatable {
    var source: FaceRegion.Source
    var fields: [String: String] = [:]
  }

  private(set) var items: [Item] = []
  /// The sizes that regions of a schema refer to, by its name.
  private(set) var dimensions: [FaceRegion.Source: [String: String]] = [:]
  /// Whether the packet had more regions than are read.
  private(set) var isCut = false

  /// The open elements, by namespace, space, and name.
  private var open: [String] = []
  /// The number of open elements. Names below ``deepest`` are not stored, because a short tag can have a long namespace.
  private var depth = 0
  private var item: Item?
  /// The number of open elements at the item, itself included.
  private var itemDepth = 0
  private var text: [UInt8] = []

  private static let lists: [String: FaceRegion.Source] = [
    "http://www.metadataworkinggroup.com/schemas/regions/ RegionList": .mwg,
    "http://ns.microsoft.com/photo/1.2/t/RegionInfo# Regions": .microsoft,
    "http://iptc.org/std/Iptc4xmpExt/2008-02-29/ ImageRegion": .iptc,
    "http://ns.acdsee.com/regions/ RegionList": .acdsee,
  ]
  private static let sizes: [String: FaceRegion.Source] = [
    "http://www.metadataworkinggroup.com/schemas/regions/ AppliedToDimensions": .mwg,
    "http://ns.acdsee.com/regions/ AppliedToDimensions": .acdsee,
  ]
  /// The bounds of an item's fields and of the nesting.
  private static let (mostFields, deepest) = (48, 64)

  /// Returns the regions as stored. Unreadable parts are skipped. Throws only ``FaceCropError/cancelled`` or
  /// ``FaceCropError/outOfMemory``.
  static func read(_ packet: [UInt8], _ job: Job) throws(FaceCropError) -> RegionReader {
    let reader = RegionReader()
    if !packet.isEmpty { _ = try reader.read(packet, job) }
    return reader
  }

  // MARK: Elements

  func begin(_ element: String, _ attributes: XMLAttributes) {
    depth += 1
    text = []
    guard depth <= Self.deepest else { return }
    open.append(element)
    if item == nil, element == RDF.name("li"), let source = list {
      if items.count < FaceRegion.most {
        item = Item(source: source)
        itemDepth = open.count
      } else {
        isCut = true
      }
    }
    for (name, value) in attributes where !name.hasPrefix(RDF.namespace) { take(value, name) }
  }

  func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    if depth <= Self.deepest, item != nil || size != nil, text.count + bytes.count <= FaceRegion.longestName {
      unsafe text.append(contentsOf: bytes)
    }
  }

  func end() {
    defer { depth -= 1 }
    guard depth <= Self.deepest else { return }
    if !text.isEmpty { take(String(decoding: text, as: UTF8.self), nil) }
    text = []
    if open.count == itemDepth, let done = item {
      items.append(done)
      item = nil
      itemDepth = 0
    }
    if !open.isEmpty { open.removeLast() }
  }

  /// The schema of the list that the innermost `li` belongs to.
  private var list: FaceRegion.Source? {
    // list, bag, li
    open.count >= 3 && RDF.lists.contains(open[open.count - 2]) ? Self.lists[open[open.count - 3]] : nil
  }

  /// The schema of the open size; nil outside of one.
  private var size: FaceRegion.Source? {
    open.suffix(3).lazy.compactMap { Self.sizes[$0] }.first
  }

  /// Stores a value of the open element, or of its attribute.
  private func take(_ value: String, _ attribute: String?) {
    guard value.utf8.count <= FaceRegion.longestName, let value = CreditText.cleaned(value) else { return }
    if item != nil {
      let path = open[itemDepth...].filter { !$0.hasPrefix(RDF.namespace) } + (attribute.map { [$0] } ?? [])
      guard !path.isEmpty, path.count <= 3 else { return }
      let name = path.map(Self.local).joined(separator: ".")
      guard item?.fields[name] == nil, item?.fields.count ?? 0 < Self.mostFields else { return }
      item?.fields[name] = value
    } else if let source = size {
      let name = Self.local(attribute ?? open.last ?? "")
      if dimensions[source]?.count ?? 0 < 8, dimensions[source]?[name] == nil {
        dimensions[source, default: [:]][name] = value
      }
    }
  }

  private static func local(_ name: String) -> String { String(name.split(separator: " ").last ?? "") }
}

extension RegionReader {
  /// Returns the faces in the image as displayed. Regions that refer to another shape are skipped, because the image was
  /// cropped after they were drawn.
  func regions(of stored: PixelSize, _ orientation: Orientation) -> [FaceRegion] {
    items.compactMap { item in
      guard let (rect, unit) = Self.area(of: item) else { return nil }
      var isDisplayed = false
      var applied = unit == "pixel" ? stored : nil
      if let size = dimensions[item.source].flatMap(Self.size) {
        if Self.hasShape(size, of: stored) {
          applied = size
        } else if orientation.swapsAxes, Self.hasShape(size, of: orientation.applied(to: stored)) {
          // Some programs draw on the image as displayed.
          (applied, isDisplayed) = (size, true)
        } else {
          return nil
        }
      }
      var box = rect
      if unit == "pixel", let applied {
        box = NormalizedRect(
          x: rect.x / Double(applied.width), y: rect.y / Double(applied.height),
          width: rect.width / Double(applied.width), height: rect.height / Double(applied.height))
      }
      box = (isDisplayed ? box : orientation.displayed(box)).clamped()
      guard box.isValid, box.area > 1e-8 else { return nil }
      return FaceRegion(name: Self.name(of: item), box: box, source: item.source)
    }
  }

  private static func number(_ text: String?) -> Double? {
    text.flatMap { Double($0) }.flatMap { $0.isFinite && abs($0) < 1e7 ? $0 : nil }
  }

  private static func size(_ fields: [String: String]) -> PixelSize? {
    guard let width = number(fields["w"]), let height = number(fields["h"]), width >= 1, height >= 1 else { return nil }
    return PixelSize(width: Int(width), height: Int(height))
  }

  /// Whether both sizes have the same shape, to two pixels of a small image or 1 %.
  private static func hasShape(_ size: PixelSize, of other: PixelSize) -> Bool {
    let (ratio, wanted) = (
      Double(size.width) / Double(size.height), Double(other.width) / Double(other.height)
    )
    return abs(ratio / wanted - 1) <= max(0.01, 2 / Double(min(size.shortSide, other.shortSide)))
  }

  private static func name(of item: Item) -> String? {
    switch item.source {
    case .mwg, .acdsee: item.fields["Name"]
    case .microsoft: item.fields["PersonDisplayName"]
    case .iptc: item.fields["PersonInImage"] ?? item.fields["Name"]
    case .picasa: nil
    }
  }

  /// Returns the rectangle of a face with its unit; nil for other subjects.
  private static func area(of item: Item) -> (NormalizedRect, String?)? {
    let fields = item.fields
    func rect(_ name: String, centered: Bool) -> NormalizedRect? {
      guard let x = number(fields["\(name).x"]), let y = number(fields["\(name).y"]),
        let width = number(fields["\(name).w"] ?? fields["\(name).d"]),
        let height = number(fields["\(name).h"] ?? fields["\(name).d"])
      else { return nil }
      return centered
        ? NormalizedRect(x: x - width / 2, y: y - height / 2, width: width, height: height)
        : NormalizedRect(x: x, y: y, width: width, height: height)
    }
    switch item.source {
    case .mwg:
      guard fields["Type"] ?? "Face" == "Face" else { return nil }
      return rect("Area", centered: true).map { ($0, fields["Area.unit"]) }
    case .acdsee:
      guard fields["Type"] ?? "Face" == "Face" else { return nil }
      return (rect("DLYArea", centered: true) ?? rect("ALGArea", centered: true)).map { ($0, nil) }
    case .microsoft:
      let sides = (fields["Rectangle"] ?? "").split(separator: ",").compactMap { part in
        number(String(part.drop { $0 == " " }))
      }
      guard sides.count == 4 else { return nil }
      return (NormalizedRect(x: sides[0], y: sides[1], width: sides[2], height: sides[3]), nil)
    case .iptc:
      let unit = fields["RegionBoundary.rbUnit"] == "pixel" ? "pixel" : nil
      func side(_ name: String) -> Double? { number(fields["RegionBoundary.\(name)"]) }
      guard fields["PersonInImage"] != nil || fields["RCtype.Name"] == "human" || fields["Name"] != nil,
        let x = side("rbX"), let y = side("rbY")
      else { return nil }
      if let width = side("rbW"), let height = side("rbH") {
        return (NormalizedRect(x: x, y: y, width: width, height: height), unit)
      }
      return nil
    case .picasa: return nil
    }
  }
}
