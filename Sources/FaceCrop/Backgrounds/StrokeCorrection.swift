/// The strokes of a crop, with the pixels of an output that they correct.
///
/// The strokes spread over the map like heat: fast between pixels of like colors, and slowly over edges. On the way, they
/// are lost, mostly in pixels of which the networks are sure. So far pixels keep their probability (compare L. Grady,
/// "Random Walks for Image Segmentation", IEEE TPAMI 28, 2006).
struct StrokeCorrection {
  let strokes: [CutoutStroke]
  /// The part of the image that the output shows, and the image's size.
  let view: CropView
  let source: PixelSize
  let output: PixelBuffer

  /// The number of passes over a map, which bounds the work. More change nothing that can be seen.
  private static let passes = 60
  /// The factor by which each pass goes beyond the mean, so that few are enough (D. Young, "Iterative Methods for Solving
  /// Partial Difference Equations of Elliptic Type", 1954).
  private static let relaxation = Float(1.8)
  /// The part of a stroke that each pixel loses, and what is added if the networks are sure of the opposite.
  private static let (loss, doubt) = (Float(0.001), Float(0.1))
  /// The least part that passes an edge.
  private static let leak = Float(0.003)
  /// The shares of a stroke that have no effect, and the full one.
  private static let effect = Float(0.2)...Float(0.5)

  /// Returns the corrected map. A person has judged it, so its confidence is 1.
  func applied(to people: PersonMap, _ job: Job) throws(FaceCropError) -> PersonMap {
    guard !strokes.isEmpty else { return people }
    let shares = try spread(try drawn(in: people.size, job), over: people, job)
    let map = zip(people.probabilities, shares).map { probability, share in
      let range = Self.effect.upperBound - Self.effect.lowerBound
      let part = min(max((abs(share) - Self.effect.lowerBound) / range, 0), 1)
      let (old, weight) = (Float(probability), part * part * (3 - 2 * part))
      return UInt8(old + weight * ((share > 0 ? 255 : 0) - old) + 0.5)
    }
    return PersonMap(size: people.size, probabilities: map, confidence: 1)
  }

  /// Returns the strokes in the pixels of a map: 1 for those to keep, −1 for those to remove, else 0.
  private func drawn(in size: PixelSize, _ job: Job) throws(FaceCropError) -> [Float] {
    var drawn = [Float](repeating: 0, count: size.width * size.height)
    // A plan can be untrusted, and its numbers become whole ones.
    func bounded(_ number: Double) -> Double { min(max(number, -1e6), 1e6) }
    for stroke in strokes {
      let share = stroke.width * Double(source.longSide) / view.frame.width
      let radius = max(bounded(share * Double(size.width)) / 2, 0.5)
      let points = stroke.points.map { point in
        let place = view.place(of: point, in: source)
        return SIMD2(bounded(place.x * Double(size.width)), bounded(place.y * Double(size.height)))
      }
      for (start, end) in zip(points, points.dropFirst() + points.suffix(1)) {
        try job.check()
        func span(_ axis: Int, _ count: Int) -> Range<Int> {
          let first = min(max(Int(min(start[axis], end[axis]) - radius), 0), count)
          return first..<max(min(Int(max(start[axis], end[axis]) + radius) + 1, count), first)
        }
        let (line, columns) = (end - start, span(0, size.width))
        let length = max((line * line).sum(), 1e-9)
        for y in span(1, size.height) {
          for x in columns {
            let way = SIMD2(Double(x) + 0.5, Double(y) + 0.5) - start
            let apart = way - line * min(max((way * line).sum() / length, 0), 1)
            if (apart * apart).sum() <= radius * radius { drawn[y * size.width + x] = stroke.kind == .keep ? 1 : -1 }
          }
        }
      }
    }
    return drawn
  }

  /// Returns the share of the strokes in each pixel, −1…1.
  private func spread(_ drawn: [Float], over people: PersonMap, _ job: Job) throws(FaceCropError) -> [Float] {
    let (width, count) = (people.size.width, drawn.count)
    let (right, below) = passages(in: people.size)
    // A row around the map, into which nothing passes.
    let edge = [Float](repeating: 0, count: width)
    var shares = edge + drawn + edge
    for pass in 0..<Self.passes {
      try job.check()
      for step in 0..<count {
        let pixel = pass % 2 == 0 ? step : count - 1 - step
        guard drawn[pixel] == 0 else { continue }
        let place = pixel + width
        let (before, after, up, down) = (right[place - 1], right[place], below[place - width], below[place])
        let sum =
          before * shares[place - 1] + after * shares[place + 1] + up * shares[place - width]
          + down * shares[place + width]
        let person = Float(people.probabilities[pixel]) / 255
        let opposite = (0..<3).reduce(sum > 0 ? 1 - person : person) { power, _ in power * power }
        let total = before + after + up + down + Self.loss + Self.doubt * opposite
        shares[place] += Self.relaxation * (sum / total - shares[place])
      }
    }
    return Array(shares[width..<width + count])
  }

  /// Returns what passes from each pixel to the right one and to the one below, with a row around the map. It falls with
  /// the contrast, in which the mean of the output is 1.
  private func passages(in size: PixelSize) -> (right: [Float], below: [Float]) {
    let (width, count) = (size.width, size.width * size.height)
    let image = output.quicklyResized(to: size).inColor()
    var right = [Float](repeating: -1, count: count + 2 * width)
    var below = right
    var (sum, pairs) = (Float(0), Float(0))
    func contrast(_ place: Int, _ other: Int) -> Float {
      var contrast = Float(0)
      for channel in 0..<3 {
        let difference = Float(image.bytes[3 * place + channel]) - Float(image.bytes[3 * other + channel])
        contrast += difference * difference
      }
      (sum, pairs) = (sum + contrast, pairs + 1)
      return contrast
    }
    for place in 0..<count {
      if (place + 1) % width > 0 { right[place + width] = contrast(place, place + 1) }
      if place + width < count { below[place + width] = contrast(place, place + width) }
    }
    let mean = max(sum / max(pairs, 1), 1)
    func passing(_ contrast: Float) -> Float {
      let ratio = contrast / mean
      return contrast < 0 ? 0 : 1 / (1 + ratio * ratio) + Self.leak
    }
    return (right.map(passing), below.map(passing))
  }
}
