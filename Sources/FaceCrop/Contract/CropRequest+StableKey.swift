extension CropRequest: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("search", search)
    key.field("composition", composition)
    key.field("output", output)
    key.field("damage", allowsDamage)
  }
}

extension FaceSearch: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("faces", faces)
    key.field("no-face", noFace)
    key.field("smallest", smallestFace)
    key.field("order", order)
    key.field("regions", regions)
    key.field("upright", upright)
    // Without these, keys are those of versions that had neither.
    if let mostFaces { key.field("most", mostFaces) }
    if animation != .first { key.field("animation", animation) }
    if findsAllFaces { key.field("all-faces", true) }
    if findsMeshes { key.field("meshes", true) }
    if measuresFinely { key.field("fine", true) }
  }
}

extension FaceSelection: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .union: key.append(case: "union")
    case .prominent: key.append(case: "prominent")
    case .largest: key.append(case: "largest")
    case .sharpest: key.append(case: "sharpest")
    case .central: key.append(case: "central")
    case .each: key.append(case: "each")
    case .number(let number): key.field("number", number)
    case .person(let name): key.field("person", name)
    case .tagged: key.append(case: "tagged")
    }
  }
}

extension FaceHeight: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .pixels(let pixels): key.field("pixels", pixels)
    case .fraction(let fraction): key.field("part", fraction)
    }
  }
}

extension Composition: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("layout", layout)
    key.field("level", alignsEyes)
  }
}

extension Composition.Layout: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .faces(let padding, let aspect), .heads(let padding, let aspect), .bodies(let padding, let aspect):
      key.append(case: holdsBodies ? "bodies" : holdsHeads ? "heads" : "faces")
      key.field("padding", padding)
      key.field("aspect", aspect)
    case .framing(let framing, let padding, let edge):
      key.field("framing", framing)
      key.field("padding", padding)
      key.field("edge", edge)
    case .fill(let aspect): key.field("fill", aspect)
    case .template(let template): key.field("template", template)
    }
  }
}

extension Framing: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("face", faceRatio)
    key.field("largest-face", largestFaceRatio)
    key.field("eyes", eyeLine)
    key.field("headroom", headroom)
    key.field("aspect", aspect)
    key.field("standard", standard)
    // Without a limit, keys are those of versions that had none.
    if largestPaddedShare < 1 { key.field("largest-padded", largestPaddedShare) }
  }
}

extension Padding: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("top", top)
    key.field("right", right)
    key.field("bottom", bottom)
    key.field("left", left)
  }
}

extension AspectRatio: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("width", width)
    key.field("height", height)
  }
}

extension CropOutput: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("sizes", sizes)
    key.field("enlarge", allowsUpscaling)
    key.field("smallest-side", smallestSide)
    key.field("shape", shape)
    key.field("fill", fill)
    key.field("color", color)
    key.field("metadata", metadata)
    key.field("gain-map", gainMap)
    key.field("resolution", resolution)
    key.field("printed-size", keepsPrintedSize)
    key.field("sidecar", sidecar.map { ContentHash(of: $0).hexadecimal })
    // Without a background, keys are those of versions that had none.
    if let background { key.field("background", background) }
  }
}

extension Background: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("fill", fill)
    key.field("people", keepsPeople)
    key.field("fail", failsIfUnsure)
  }
}

extension Background.Fill: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .color(let color): key.field("color", [Int(color.red), Int(color.green), Int(color.blue)])
    case .blur(let strength): key.field("blur", strength)
    case .transparent: key.append(case: "transparent")
    case .image(let image): key.field("image", image.digest.hexadecimal)
    }
  }
}

extension OutputSize: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .longSide(let side): key.field("long-side", side)
    case .exact(let width, let height): key.field("exact", [width, height])
    case .fit(let size): key.field("fit", size)
    case .cover(let size): key.field("cover", size)
    case .width(let side): key.field("width", side)
    case .height(let side): key.field("height", side)
    case .filling(let aspect, let side):
      key.field("filling", aspect)
      key.field("long-side", side)
    }
  }
}

extension PixelSize: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("width", width)
    key.field("height", height)
  }
}

extension PadFill: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .color(let red, let green, let blue): key.field("color", [Int(red), Int(green), Int(blue)])
    case .edge: key.append(case: "edge")
    case .blur: key.append(case: "blur")
    }
  }
}
