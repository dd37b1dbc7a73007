/// A planner that chooses crop regions. Its result depends only on the image's size, the faces, and the request.
public struct CropPlanner: Sendable {
  /// Creates a planner, which has no state.
  public init() {}

  /// The upper bound of an image's sides in pixels, because no format has longer ones.
  private static let largestSide = Int(UInt32.max)

  /// Returns crops for the selected faces, in whole pixels of the image.
  ///
  /// Each region is the union of the selected face boxes, extended by the padding, then to the aspect, and moved into
  /// the image. If it exceeds the image it shrinks: it loses padding, keeps the aspect, and contains the faces as long
  /// as the aspect allows. A ``Framing`` instead gives the frame with the lowest cost around the heads, inside the
  /// image, or in any position with a fill outside it. ``Composition/Layout/fill(_:)`` gives the largest region with
  /// the aspect.
  ///
  /// - Parameters:
  ///   - faces: The faces in the image as displayed, highest score first.
  ///   - picture: The image's size as displayed, at least 1 × 1.
  ///   - chosen: The index of the face that ``FaceSelection/prominent`` takes. Default nil, which applies its rule.
  ///   - possibleFace: The candidate in an image without a face. Under ``NoFacePolicy/person`` it precedes faces. Default
  ///     nil.
  ///   - attention: The most salient point of an image without a face. Default nil.
  ///   - search: The selection of faces, and the fallback without one.
  ///   - composition: The composition of regions around the faces.
  /// - Returns: A crop for each group of selected faces, or the fallback of ``FaceSearch/noFace``.
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` and ``FaceCropError/noFace``.
  public func crops(
    for faces: [Face], in picture: PixelSize, chosen: Int? = nil, possibleFace: Face? = nil,
    attention: NormalizedPoint? = nil, search: FaceSearch = FaceSearch(), composition: Composition = Composition()
  ) throws(FaceCropError) -> [CropPlan.Crop] {
    try search.check()
    try composition.check()
    guard picture.shortSide > 0, picture.longSide <= Self.largestSide else {
      throw .invalidRequest("an image's sides must be 1 to \(Self.largestSide) pixels")
    }
    guard faces.allSatisfy(\.isValid), possibleFace?.isValid != false, attention?.isFinite != false else {
      throw .invalidRequest("a face lies outside the image, or has a number that is not finite")
    }
    let possibleFace = search.noFace.takesPossibleFaces ? possibleFace : nil
    let precedes = search.noFace == .person && possibleFace != nil
    let groups = precedes ? [] : search.groups(of: faces, in: picture, chosen: chosen)
    guard groups.isEmpty else {
      var crops = try groups.map { (group) throws(FaceCropError) in
        try crop(of: group, in: faces, picture, by: composition)
      }
      for index in crops.indices where search.faces == .each { crops[index].number = index + 1 }
      return crops
    }
    if let possibleFace {
      // The candidate is treated like a face, but the crop names none.
      let one = FaceSearch(faces: .number(1))
      return try crops(for: [possibleFace], in: picture, search: one, composition: composition).map { crop in
        CropPlan.Crop(region: crop.region, frame: crop.frame, turn: crop.turn, template: crop.template, faces: [])
      }
    }
    guard search.noFace != .fail else { throw .noFace }
    guard search.noFace != .skip, composition.layout.template == nil else { return [] }
    guard search.noFace != .whole else { return [CropPlan.Crop(region: .whole, faces: [])] }
    let middle = (search.noFace == .attention ? attention : nil) ?? NormalizedPoint(x: 0.5, y: 0.5)
    let aspect = composition.layout.aspect ?? .square
    return [CropPlan.Crop(region: largest(of: picture, aspect: aspect, around: middle), faces: [])]
  }

  /// Returns the crop for a group of faces. If not all of them fit into the shape, it is as large as possible, around
  /// those that fit, and names the faces that it shows.
  private func crop(
    of group: [Int], in faces: [Face], _ picture: PixelSize, by composition: Composition
  ) throws(FaceCropError) -> CropPlan.Crop {
    let (layout, members) = (composition.layout, group.map { faces[$0] })
    func turned() -> CropPlan.Crop? {
      guard composition.alignsEyes, group.count == 1 else { return nil }
      return leveled(group[0], of: faces, in: picture, layout: layout)
    }
    guard layout.edge == .pad || held(group, of: faces, in: picture, aspect: layout.aspect) == group else {
      return filled(around: group, of: faces, in: picture, aspect: layout.aspect)
    }
    switch layout {
    case .template(let template): return try aligned(group, of: faces, in: picture, to: template)
    case .fill(let aspect): return filled(around: group, of: faces, in: picture, aspect: aspect)
    case .faces, .heads, .bodies:
      return turned() ?? CropPlan.Crop(region: region(around: members, in: picture, layout: layout), faces: group)
    case .framing(let framing, let padding, let edge):
      if let crop = turned() { return crop }
      let (region, frame) = try framed(group, of: faces, by: framing, in: picture, padding: padding, edge: edge)
      return CropPlan.Crop(region: region, frame: frame, faces: group)
    }
  }

  /// Returns the region of a layout without a framing.
  ///
  /// - Parameter faces: One at least.
  func region(around faces: [Face], in picture: PixelSize, layout: Composition.Layout) -> NormalizedRect {
    let boxes = faces.map(\.box).united
    let padding = layout.padding
    let heads = layout.holdsHeads ? boxes.union(Self.heads(of: faces, in: picture)) : boxes
    let bodies = faces.map { face in
      let (box, reach) = (face.box.frame(in: picture), Self.body.scaled(by: face.box.frame(in: picture).height))
      return reach.moved(x: box.midX + reach.x, y: box.y + reach.y).normalized(in: picture)
    }
    let people = layout.holdsBodies ? heads.union(bodies.united.clamped()) : heads
    let padded = NormalizedRect(
      x: people.x - padding.left * boxes.width, y: people.y - padding.top * boxes.height,
      width: boxes.width * (1 + padding.left + padding.right) + (people.width - boxes.width),
      height: boxes.height * (1 + padding.top + padding.bottom) + (people.height - boxes.height)
    ).clamped()
    let own = AspectRatio(width: Double(picture.width), height: Double(picture.height))
    guard let aspect = layout.aspect ?? (layout.holdsBodies ? own : nil) else {
      return PixelRect(covering: padded, in: picture).normalized(in: picture)
    }

    let size = size(holding: padded, aspect: aspect, in: picture)
    let x = padded.midX * Double(picture.width) - Double(size.width) / 2
    let y = padded.midY * Double(picture.height) - Double(size.height) / 2
    return placed(size, x, y, holding: heads, in: picture)
  }

  /// A standing person with a margin, from the middle of the face box's top, in heights of the box. In photos of groups,
  /// the feet of 7 people were 7.8 to 8.7 below the box, elbows 1.8 beside its middle, and a stooping man's foot 2.2.
  private static let body = Frame(x: -2.5, y: -0.7, width: 5, height: 10.7)

  /// The room for a beard, whose end no outline shows, in heights of the box.
  private static let beard = 0.15

  /// The heads as far as they may reach, in the picture, with their outlines.
  private static func heads(of faces: [Face], in picture: PixelSize) -> NormalizedRect {
    let head = FramedHead(of: faces, in: picture)
    let top = min(head.highestCrown, head.box.y)
    let bottom = faces.reduce(0) { max($0, $1.box.maxY + beard * $1.box.height) } * Double(picture.height)
    let sides = faces.flatMap { $0.head?.outline ?? [] }.map { $0.x * Double(picture.width) }
    let (left, right) = (min(sides.min() ?? head.left, head.left), max(sides.max() ?? head.right, head.right))
    return Frame(x: left, y: top, width: right - left, height: max(head.chin, bottom) - top)
      .normalized(in: picture).clamped()
  }

  /// Returns the region of a framing, and its frame if that reaches out of the image.
  private func framed(
    _ group: [Int], of faces: [Face], by framing: Framing, in picture: PixelSize, padding: Padding, edge: EdgePolicy
  ) throws(FaceCropError) -> (region: NormalizedRect, frame: NormalizedRect?) {
    let head = FramedHead(of: group.map { faces[$0] }, in: picture)
    let neighbors = faces.indices.filter { !group.contains($0) }.map { faces[$0].box.frame(in: picture) }
    let search = FrameSearch(framing, around: head, neighbors: neighbors)
    let (width, height) = (Double(picture.width), Double(picture.height))
    guard edge == .shift || framing.largestPaddedShare == 0 else {
      let largest = CropPlan.Crop.largestFrame
      func pixels(_ wanted: Frame) -> PixelRect {
        let size = PixelSize(
          width: min(max(Int(wanted.width.rounded()), 1), picture.width * Int(largest)),
          height: min(max(Int(wanted.height.rounded()), 1), picture.height * Int(largest)))
        // Even for a thin face at the image's edge, part of the image is shown.
        return PixelRect(
          x: min(max(Int((wanted.midX - Double(size.width) / 2).rounded()), 1 - size.width), picture.width - 1),
          y: min(max(Int(wanted.y.rounded()), 1 - size.height), picture.height - 1), width: size.width,
          height: size.height)
      }
      let wanted = search.frame(padding: padding).limited(
        to: framing.largestPaddedShare, before: search.frame(padding: padding, in: picture)
      ) { CropView(frame: Frame(pixels($0))).share(outside: picture) }
      guard max(wanted.width / width, wanted.height / height) <= largest else {
        throw .invalidRequest("a frame would be more than \(Int(largest)) times as wide or high as the image")
      }
      let frame = pixels(wanted)
      let region = frame.intersection(PixelRect(x: 0, y: 0, width: picture.width, height: picture.height))
      return (region.normalized(in: picture), frame == region ? nil : frame.normalized(in: picture))
    }

    let wanted = search.frame(padding: padding, in: picture)
    func pixels(_ length: Double, _ side: Int) -> Int { min(max(Int(min(length, Double(side)).rounded()), 1), side) }
    let size = PixelSize(width: pixels(wanted.width, picture.width), height: pixels(wanted.height, picture.height))
    let x = wanted.midX - Double(size.width) / 2
    return (placed(size, x, wanted.y, holding: head.box.normalized(in: picture), in: picture), nil)
  }

  /// Returns the crop with the largest region of the aspect, around the heads of the group's faces that fit into it.
  func filled(around group: [Int], of faces: [Face], in picture: PixelSize, aspect: AspectRatio?) -> CropPlan.Crop {
    guard let aspect else { return CropPlan.Crop(region: .whole, faces: group) }
    let held = held(group, of: faces, in: picture, aspect: aspect).map { faces[$0] }
    let (found, boxes) = (held.filter { $0.head != nil }, held.map(\.box).united)
    let heads = found.isEmpty ? boxes : boxes.union(Self.heads(of: found, in: picture))
    // If the hair does not fit, the faces are centered.
    let size = size(holding: .whole, aspect: aspect, in: picture)
    let middle = NormalizedPoint(
      x: heads.width * Double(picture.width) <= Double(size.width) ? heads.midX : boxes.midX,
      y: heads.height * Double(picture.height) <= Double(size.height) ? heads.midY : boxes.midY)
    let region = largest(of: picture, aspect: aspect, around: middle, holding: boxes)
    let shown = group.filter { index in
      let box = faces[index].box
      return abs(box.midX - region.midX) <= region.width / 2 && abs(box.midY - region.midY) <= region.height / 2
    }
    return CropPlan.Crop(region: region, faces: shown)
  }

  /// Returns those of a group's faces that fit together into the largest region with an aspect: all, or else the faces
  /// with the largest area, then those nearest to the center of all. If even the largest face does not fit, returns it
  /// alone.
  func held(_ group: [Int], of faces: [Face], in picture: PixelSize, aspect: AspectRatio?) -> [Int] {
    guard let aspect, group.count > 1 else { return group }
    let size = size(holding: .whole, aspect: aspect, in: picture)
    let (width, height) = (Double(size.width) / Double(picture.width), Double(size.height) / Double(picture.height))
    func fits(_ box: NormalizedRect) -> Bool { box.width <= width && box.height <= height }
    let all = group.map { faces[$0].box }.united
    if fits(all) { return group }
    let largest = group.max { faces[$0].box.area < faces[$1].box.area }!
    guard fits(faces[largest].box) else { return [largest] }
    // Each best window can move until its left and top edges touch a face, so only these windows are tried.
    let groups = group.map { edge in
      group.filter { index in
        let (box, edge) = (faces[index].box, faces[edge].box)
        return (width >= 1 || box.x >= edge.x && box.maxX <= edge.x + width)
          && (height >= 1 || box.y >= edge.y && box.maxY <= edge.y + height)
      }
    }
    func value(_ group: [Int]) -> (area: Double, nearness: Double) {
      let middle = group.map { faces[$0].box }.united
      return (group.reduce(0) { $0 + faces[$1].box.area }, -abs(middle.midX - all.midX) - abs(middle.midY - all.midY))
    }
    return groups.filter { !$0.isEmpty }.max { value($0) < value($1) }!
  }

  /// Returns the largest region with this aspect, as near to `middle` as the image's edges and `faces` allow.
  func largest(
    of picture: PixelSize, aspect: AspectRatio, around middle: NormalizedPoint, holding faces: NormalizedRect? = nil
  ) -> NormalizedRect {
    // The smallest size that contains the whole image, shrunk to fit into it.
    let size = size(holding: .whole, aspect: aspect, in: picture)
    func start(_ middle: Double, _ length: Int, _ side: Int) -> Double {
      (min(max(middle, 0), 1) * Double(side) - Double(length) / 2).rounded(.down)
    }
    return placed(
      size, start(middle.x, size.width, picture.width), start(middle.y, size.height, picture.height),
      holding: faces ?? NormalizedRect(x: middle.x, y: middle.y, width: 0, height: 0), in: picture)
  }

  /// Returns the smallest size with the aspect that contains `box`, or the largest one that fits into the image.
  private func size(holding box: NormalizedRect, aspect: AspectRatio, in picture: PixelSize) -> PixelSize {
    // Beyond these ratios a size is one pixel wide or high anyway, and lengths would overflow.
    let ratio = min(max(aspect.width / aspect.height, 1e-9), 1e9)
    var width = box.width * Double(picture.width)
    var height = box.height * Double(picture.height)
    if width < height * ratio { width = height * ratio } else { height = width / ratio }
    let excess = max(width / Double(picture.width), height / Double(picture.height), 1)
    func pixels(_ length: Double, _ side: Int) -> Int { min(max(Int((length / excess).rounded()), 1), side) }
    return PixelSize(width: pixels(width, picture.width), height: pixels(height, picture.height))
  }

  /// Returns the region of a size that starts at a position in pixels. It is moved to contain `faces`, or to be
  /// centered on larger ones, and into the image.
  private func placed(
    _ size: PixelSize, _ x: Double, _ y: Double, holding faces: NormalizedRect, in picture: PixelSize
  ) -> NormalizedRect {
    let inner = PixelRect(covering: faces.clamped(), in: picture)
    func start(_ wanted: Double, _ length: Int, holding faces: Range<Int>, _ side: Int) -> Int {
      let onFaces =
        faces.count <= length
        ? min(max(Int(wanted.rounded()), faces.upperBound - length), faces.lowerBound)
        : faces.lowerBound + (faces.count - length) / 2
      return min(max(onFaces, 0), side - length)
    }
    return PixelRect(
      x: start(x, size.width, holding: inner.x..<inner.x + inner.width, picture.width),
      y: start(y, size.height, holding: inner.y..<inner.y + inner.height, picture.height), width: size.width,
      height: size.height
    ).normalized(in: picture)
  }
}

extension Composition {
  /// Whether heads determine the regions.
  var needsHeads: Bool {
    switch layout {
    case .faces, .template: false
    case .heads, .bodies, .framing, .fill: true
    }
  }

  /// Whether the limits of heads must be as exact as possible. Rules for documents allow little room around them, and a
  /// frame that the face fills has little.
  var needsFineHeads: Bool {
    if case .framing(let framing, _, _) = layout { framing.standard != nil || framing.faceRatio > 0.5 } else { true }
  }

  /// Whether the landmarks of faces with a region of their own determine the regions. For documents, the mesh gives chin
  /// and skull, too.
  var needsExactLandmarks: Bool { alignsEyes || layout.template != nil || layout.framing?.standard != nil }
}

extension [NormalizedRect] {
  /// The union of all rectangles; the array must not be empty.
  /// It starts at the first: a union that starts at the zero rectangle would always reach the picture's corner.
  fileprivate var united: NormalizedRect { dropFirst().reduce(self[0]) { $0.union($1) } }
}
