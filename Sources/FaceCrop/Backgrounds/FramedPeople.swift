/// The faces in an output: those of its crop, and others.
struct FramedPeople {
  /// The face boxes of the crop's people, in fractions of the output. Empty for a crop without a face.
  var own: [NormalizedRect]
  /// The face boxes of all others that matter.
  var others: [NormalizedRect]

  init(own: [NormalizedRect], others: [NormalizedRect] = []) {
    (self.own, self.others) = (own, others)
  }

  /// Maps the faces of a plan to the output that shows `view`.
  init(of crop: CropPlan.Crop, in plan: CropPlan, view: CropView) {
    func place(_ face: Face) -> NormalizedRect {
      let box = face.box
      let middle = view.place(of: NormalizedPoint(x: box.midX, y: box.midY), in: plan.source)
      // A rotation changes the sides of a face box by less than its own error.
      let width = box.width * Double(plan.source.width) / view.frame.width
      let height = box.height * Double(plan.source.height) / view.frame.height
      // A plan can be untrusted, and its numbers become whole ones.
      func bounded(_ number: Double) -> Double { min(max(number, -1_000), 1_000) }
      return NormalizedRect(
        x: bounded(middle.x - width / 2), y: bounded(middle.y - height / 2), width: bounded(width),
        height: bounded(height))
    }
    let isFramed = Set(crop.faces)
    own = crop.faces.map { place(plan.faces[$0]) }
    if own.isEmpty, let possible = plan.possibleFace { own = [place(possible)] }
    others = plan.faces.indices.filter { !isFramed.contains($0) }.map { place(plan.faces[$0]) }
      // Faces far outside own no pixel here.
      .filter { $0.maxX > -1 && $0.x < 2 && $0.maxY > -1 && $0.y < 2 }
  }

  /// The distances of a pixel from people, to assign it to the nearest one.
  struct Places {
    private let own, others: [MaskedFace]
    private let width: Int

    init(_ people: FramedPeople, in grid: PixelSize) {
      func place(_ box: NormalizedRect) -> MaskedFace {
        let frame = box.frame(in: grid)
        return MaskedFace(x: frame.midX, y: frame.midY, height: max(frame.height, 1))
      }
      (own, others, width) = (people.own.map(place), people.others.map(place), grid.width)
    }

    /// The radius of another person's head with hair, and that of a person's own, in heights of the face. A child's whole
    /// head belongs to the child, although a larger person is near in heights of the larger face.
    private static let (headRadius, ownHead) = (0.9, 0.7)

    /// Returns whether no other person is nearer than the crop's own.
    func isOwn(_ place: Int) -> Bool {
      guard !others.isEmpty, !own.isEmpty else { return true }
      // A body extends downwards, so distances count half there.
      func distance(_ face: MaskedFace) -> Double { face.distance(place % width, place / width, below: 0.5) }
      let nearest = own.reduce(Double.infinity) { min($0, distance($1)) }
      return others.allSatisfy { other in
        let distance = distance(other)
        let isInOtherHead = distance < Self.headRadius * Self.headRadius && nearest > Self.ownHead * Self.ownHead
        return distance >= nearest && !isInOtherHead
      }
    }
  }
}
