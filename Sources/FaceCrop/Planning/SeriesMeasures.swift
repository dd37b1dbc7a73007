internal import Glibc

/// The choice of one head size and one eye line for all photos of a series, by the room around their heads.
package struct SeriesMeasures: Sendable {
  /// The layouts to choose from, with the cost of each, and the number of heads that meet it.
  private var choices: [(layout: Composition.Layout, cost: Double, met: Int)] = []
  private var heads = 0

  /// The share of the heads that must meet the layout, and the smallest size and the step, as exponents of e.
  private static let (share, smallest, step) = (0.95, -0.25, 0.01)

  /// Creates measures without any head, for sizes around that of a framing, up to its largest ratio.
  package init(_ layout: Composition.Layout) {
    guard case .framing(let wanted, let padding, let edge) = layout else { return }
    let largest = max(log(wanted.largestFaceRatio / wanted.faceRatio), 0)
    for size in stride(from: Self.smallest, through: largest, by: Self.step) {
      for off in [0, -0.02, 0.02, -0.04, 0.04, -0.06, 0.06] {
        var framing = wanted
        framing.faceRatio = (wanted.faceRatio * exp(size) * 1e4).rounded() / 1e4
        framing.eyeLine = ((wanted.eyeLine + off) * 1e4).rounded() / 1e4
        let eyes = FramingCosts.eyesOff * max(abs(off) - FramingCosts.freeEyes, 0)
        let cost = FramingCosts.smallFrame * abs(size) + eyes + FramingCosts.eyesALittleOff * abs(off)
        choices.append((.framing(framing, padding: padding, edge: edge), cost, 0))
      }
    }
  }

  /// Adds the heads of a plan that have a crop of their own.
  package mutating func add(_ plan: CropPlan) {
    heads += plan.crops.count { $0.faces.count == 1 }
    for index in choices.indices {
      // Frames are rounded to pixels.
      choices[index].met += plan.meets(choices[index].layout, margin: 1.005).count { $0 }
    }
  }

  /// The best framing that 95 % of the heads meet, or else the one that most of them meet; nil without a framing.
  package var framing: Framing? {
    let needed = Int((Double(heads) * Self.share).rounded(.up))
    return choices.min { (-min($0.met, needed), $0.cost) < (-min($1.met, needed), $1.cost) }?.layout.framing
  }
}

extension CropPlan {
  /// Returns for each head with a crop of its own whether the image has room for a framing: for a frame around the
  /// center of the head with its exact size and eye line, larger by the margin, that shows the whole head.
  package func meets(_ layout: Composition.Layout, margin: Double = 1) -> [Bool] {
    guard let framing = layout.framing else { return [] }
    return crops.filter { $0.faces.count == 1 }.map { crop in
      let face = faces[crop.faces[0]]
      let alignment = crop.turn == nil ? nil : Alignment(of: face, in: source)
      let head = alignment?.leveled(face, in: source) ?? FramedHead(of: [face], in: source)
      let height = FrameSearch(framing, around: head).height * margin
      let (width, y) = (height * framing.aspect.width / framing.aspect.height, head.eyes - framing.eyeLine * height)
      let frame = Frame(x: head.middle - width / 2, y: y, width: width, height: height)
      let view = CropView(frame: alignment?.picture(frame) ?? frame, degrees: alignment?.degrees ?? 0)
      return y <= head.crown && y + height >= head.chin
        && view.share(outside: source) <= (layout.edge == .pad ? framing.largestPaddedShare : 0)
    }
  }
}
