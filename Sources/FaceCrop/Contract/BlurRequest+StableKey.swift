extension BlurRequest: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("mode", mode)
    key.field("shape", shape)
    key.field("margin", margin)
    key.field("faces", faces)
    if let people { key.field("people", people) }
    if let image { key.field("image", image.digest.hexadecimal) }
    key.field("smallest", smallestFace)
    key.field("metadata", metadata)
    key.field("location", keepsLocation)
    key.field("damage", allowsDamage)
    key.field("sidecar", sidecar.map { ContentHash(of: $0).hexadecimal })
  }
}

extension HiddenFaces: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .all: key.append(case: "all")
    // Equal sets may have different orders.
    case .only(let numbers): key.field("only", numbers.sorted())
    case .except(let numbers): key.field("except", numbers.sorted())
    }
  }
}
