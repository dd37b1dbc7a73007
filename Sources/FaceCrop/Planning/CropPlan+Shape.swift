extension CropPlan {
  /// A crop, or a cut of it in another shape, with the sizes of its outputs.
  struct Part {
    /// The index of the crop in the plan.
    var index: Int
    var crop: Crop
    /// The output sizes; empty for the image's own resolution, or the template's size.
    var sizes: [OutputSize]
  }

  /// Returns the regions to decode, in order. Each crop occurs once for all outputs of the same shape.
  func parts(for sizes: [OutputSize]) -> [Part] {
    var parts: [Part] = []
    for (index, crop) in crops.enumerated() {
      guard !sizes.isEmpty, crop.template == nil else {
        parts.append(Part(index: index, crop: crop, sizes: sizes.filter(\.isBound)))
        continue
      }
      for size in sizes {
        let shown = shown(crop, as: size)
        if let last = parts.last, last.index == index, last.crop == shown {
          parts[parts.count - 1].sizes.append(size)
        } else {
          parts.append(Part(index: index, crop: shown, sizes: [size]))
        }
      }
    }
    return parts
  }

  /// Returns the plan with whole pixels for each region between pixels that has a shape to a pixel. Rounding outward
  /// would change a small one, such as a square that a person has scaled.
  package func inWholePixels(of aspect: AspectRatio?) -> CropPlan {
    guard let aspect, aspect.isValid else { return self }
    var plan = self
    for index in crops.indices where crops[index].frame == nil && crops[index].turn == nil {
      let shown = crops[index].region.frame(in: source)
      let isWhole = [shown.x, shown.y, shown.width, shown.height].allSatisfy { abs($0 - $0.rounded()) < 1e-6 }
      let ratio = aspect.width / aspect.height
      guard !isWhole, abs(shown.width - shown.height * ratio) < 1 else { continue }
      let height = min(max(shown.height.rounded(), 1), Double(source.height))
      let width = min(max((height * ratio).rounded(), 1), Double(source.width))
      let frame = Frame(
        x: min(max((shown.midX - width / 2).rounded(), 0), Double(source.width) - width),
        y: min(max((shown.midY - height / 2).rounded(), 0), Double(source.height) - height), width: width,
        height: height)
      plan.crops[index].region = frame.normalized(in: source).clamped()
    }
    return plan
  }

  /// Returns the crop, a cut of it, or the largest region around its faces, as the output size demands.
  private func shown(_ crop: Crop, as size: OutputSize) -> Crop {
    guard case .filling(let aspect, _) = size else { return size.shape.map { cut(crop, to: $0) } ?? crop }
    let (middle, group) = (
      NormalizedPoint(x: crop.region.midX, y: crop.region.midY), crop.faces.filter(faces.indices.contains)
    )
    var filled =
      group.isEmpty
      ? Crop(region: CropPlanner().largest(of: source, aspect: aspect, around: middle), faces: [])
      : CropPlanner().filled(around: group, of: faces, in: source, aspect: aspect)
    (filled.number, filled.background, filled.strokes) = (crop.number, crop.background, crop.strokes)
    return filled
  }

  /// Returns the largest cut of a crop in the shape of `size`, around its faces. None is less than a pixel.
  private func cut(_ crop: Crop, to size: PixelSize) -> Crop {
    let shown = (crop.turn?.rect ?? crop.frame ?? crop.region).frame(in: source)
    let aspect = Double(size.width) / Double(size.height)
    let (width, height) = (min(shown.width, shown.height * aspect), min(shown.height, shown.width / aspect))
    guard shown.width - width >= 1 || shown.height - height >= 1 else { return crop }

    var cut = crop
    if let turn = crop.turn {
      // The face is at the center of the rotation.
      let middle = Frame(x: shown.midX - width / 2, y: shown.midY - height / 2, width: width, height: height)
      cut.turn = Crop.Turn(degrees: turn.degrees, rect: middle.normalized(in: source))
      return cut
    }
    let faces = crop.faces.filter(faces.indices.contains).map { self.faces[$0].box }
    let middle = faces.dropFirst().reduce(faces.first) { $0?.union($1) }?.frame(in: source) ?? shown
    func start(_ middle: Double, _ length: Double, in range: ClosedRange<Double>) -> Double {
      min(max((middle - length / 2).rounded(), range.lowerBound), range.upperBound - length)
    }
    let length = PixelSize(width: max(Int(width.rounded()), 1), height: max(Int(height.rounded()), 1))
    let frame = Frame(
      x: start(middle.midX, Double(length.width), in: shown.x...shown.maxX),
      y: start(middle.midY, Double(length.height), in: shown.y...shown.maxY), width: Double(length.width),
      height: Double(length.height))
    if crop.frame == nil {
      cut.region = frame.normalized(in: source).clamped()
      return cut
    }
    // A frame that reaches out of the image must still show part of it.
    let rect = PixelRect(rounding: frame.normalized(in: source), in: source)
    let inside = rect.intersection(PixelRect(covering: crop.region, in: source))
    guard inside.width > 0, inside.height > 0 else { return crop }
    cut.frame = rect.normalized(in: source)
    cut.region = inside.normalized(in: source)
    return cut
  }
}
