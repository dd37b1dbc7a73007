extension CropPlan {
  /// Returns the warnings about crops, in the shapes of `sizes`, that differ from the request or are doubtful: a pure
  /// function.
  func warnings(
    _ search: FaceSearch, _ composition: Composition, sizes: [OutputSize] = []
  ) -> [CropWarning] {
    var warnings: [CropWarning] = []
    if let possibleFaceWarning { warnings.append(possibleFaceWarning) }
    if search.faces.takesCertainFace, let count = nearlyLargest(search) { warnings.append(.severalFaces(count)) }
    for crop in crops where crop.template == nil {
      if composition.alignsEyes, let reason = reasonNotAligned(crop) { warnings.append(reason) }
      if let framing = composition.layout.framing {
        if crop.faces.count == 1, faces[crop.faces[0]].isBlurred(in: source) { warnings.append(.blurredFace) }
        let padding = composition.layout.padding
        warnings += faults(of: crop, by: framing, padding: padding).map(CropWarning.frame)
      }
    }
    let groups = search.groups(of: faces, in: source, chosen: chosen)
    for part in parts(for: sizes)
    where groups.indices.contains(part.index) && !part.crop.faces.isEmpty && part.crop.turn == nil {
      let group = groups[part.index]
      let warning = CropWarning.frame(.facesCut(group.count { isCut(faces[$0], by: part.crop) }))
      // A framing names the sides of a single head that it cuts.
      guard group.count > 1 || composition.layout.framing == nil, warning != .frame(.facesCut(0)) else { continue }
      if !warnings.contains(warning) { warnings.append(warning) }
    }
    return warnings
  }

  /// The fraction of the largest face's height from which another face could have been meant.
  private static let nearly = 0.8

  /// Returns the number of faces nearly as large as the selected one; nil if it is the only one.
  private func nearlyLargest(_ search: FaceSearch) -> Int? {
    guard crops.count == 1, crops[0].faces.count == 1 else { return nil }
    let taken = faces[crops[0].faces[0]]
    let count = faces.count { $0.score >= FaceSelection.sureScore && $0.box.height >= Self.nearly * taken.box.height }
    return taken.score >= FaceSelection.sureScore && count > 1 ? count : nil
  }

  /// The visible faults, in fractions of the frame.
  private static let (cut, offCenter) = (0.01, 0.06)
  /// The size of a head, relative to the requested one, from which a series looks uneven; the same for its inverse.
  private static let otherSize = 1.15

  private func isCut(_ face: Face, by crop: Crop) -> Bool {
    let (face, frame) = (face.box.frame(in: source), (crop.frame ?? crop.region).frame(in: source))
    return max(frame.x - face.x, face.maxX - frame.maxX) > Self.cut * frame.width
      || max(frame.y - face.y, face.maxY - frame.maxY) > Self.cut * frame.height
  }

  private func faults(of crop: Crop, by framing: Framing, padding: Padding) -> [FrameFault] {
    guard !crop.faces.isEmpty else { return [] }
    let members = crop.faces.map { faces[$0] }
    var (heads, frame) = (FramedHead(of: members, in: source), (crop.frame ?? crop.region).frame(in: source))
    // Of several heads the tallest counts, because their union also includes the distance between them.
    var tallest = members.map { FramedHead(of: [$0], in: source) }.max { $0.height < $1.height }!
    if let turn = crop.turn {
      // A rotated frame is measured along the head's own axis.
      guard let alignment = Alignment(of: members[0], in: source) else { return [] }
      heads = alignment.leveled(members[0], in: source)
      tallest = heads
      let rect = turn.rect.frame(in: source)
      frame = rect.moved(x: rect.x, y: alignment.leveled(rect.midX, rect.midY).y - rect.height / 2)
    }
    let isTurned = crop.turn != nil
    var faults: [FrameFault] = []
    // Only detected hair counts.
    let isSeen = members.allSatisfy { $0.head != nil }
    if isSeen, frame.y - heads.crown > Self.cut * frame.height {
      faults.append(.crownCut(byImageEdge: isTurned || frame.y < 1))
    } else if isSeen, !isTurned, frame.y < 1, frame.y >= 0, heads.crown < 0.5 {
      faults.append(.crownCut(byImageEdge: true))
    }
    if heads.box.maxY - frame.maxY > Self.cut * frame.height {
      faults.append(.chinCut(byImageEdge: isTurned || frame.maxY > Double(source.height) - 1))
    }
    if !isTurned, abs(heads.middle - frame.midX) > Self.offCenter * frame.width {
      faults.append(.offCenter(byImageEdge: frame.x < 1 || frame.maxX > Double(source.width) - 1))
    }
    let size = FrameSearch(framing, around: tallest).padded(by: padding).height / frame.height
    // A frame for several heads shows each of them smaller.
    let isEven = size < Self.otherSize && (members.count > 1 || size > 1 / Self.otherSize)
    return isEven ? faults : faults + [.headSize((size * 100).rounded() / 100)]
  }
}
