import FaceCrop

extension PictureRequest: StableKeyed {
  /// Writes all fields but the source and the accepted format, which a cache replaces by the source's version and the
  /// response's format.
  func write(to key: inout StableKey) {
    key.field("corners", corners)
    key.field("part", part)
    // Without a page or hidden faces, keys are those of versions that had none.
    if let page { key.field("page", page) }
    if let blur { key.field("hiding", blur) }
    key.field("width", width)
    key.field("height", height)
    key.field("enlarge", allowsUpscaling)
    key.field("exact", isExact)
    key.field("quality", quality)
    key.field("meta", isMeta)
  }
}

extension PictureRequest.Part: StableKeyed {
  func write(to key: inout StableKey) {
    switch self {
    case .whole(let covers, let turns):
      key.append(case: "whole")
      key.field("cover", covers)
      key.field("turn", turns)
    case .smart: key.append(case: "smart")
    case .aligned(let horizontal, let vertical):
      key.append(case: "aligned")
      key.field("horizontal", horizontal)
      key.field("vertical", vertical)
    case .faces(let request): key.field("faces", request)
    }
  }
}

extension PictureRequest.Corners: StableKeyed {
  func write(to key: inout StableKey) {
    key.field("left", left)
    key.field("top", top)
    key.field("right", right)
    key.field("bottom", bottom)
  }
}
