import Testing

@testable import FaceCrop

/// Faces are numbered like people in a group photo's caption.
@Suite struct FaceOrderTests {
  private static func face(_ x: Double, _ y: Double, _ side: Double = 0.1) -> Face {
    Face(box: NormalizedRect(x: x - side / 2, y: y - side / 2, width: side, height: side), score: 0.9)
  }

  private static let picture = PixelSize(width: 1_000, height: 1_000)

  @Test func rowsAreReadFromLeftToRight() {
    // A back row, and a front row of people with different heights.
    let faces = [
      Self.face(0.8, 0.7), Self.face(0.5, 0.3), Self.face(0.2, 0.66), Self.face(0.9, 0.32), Self.face(0.1, 0.28),
      Self.face(0.5, 0.68, 0.2),
    ]
    #expect(FaceOrder.left.indices(of: faces) == [4, 1, 3, 2, 5, 0])
    #expect(FaceOrder.confidence.indices(of: faces) == [0, 1, 2, 3, 4, 5])
    #expect(FaceOrder.size.indices(of: faces).first == 5)
    #expect(FaceOrder.left.indices(of: []).isEmpty)
  }

  /// A tilted camera: each face is a little lower than the one before.
  @Test func aTiltedRowIsOneRow() {
    let faces = (0..<8).reversed().map { Self.face(0.1 + 0.1 * Double($0), 0.3 + 0.03 * Double($0)) }
    #expect(FaceOrder.left.indices(of: faces) == [7, 6, 5, 4, 3, 2, 1, 0])
  }

  /// A tall person in the middle of a line, but a row of its own above the heads of others.
  @Test func aTallPersonIsInTheRow() {
    let line = [Self.face(0.5, 0.3), Self.face(0.3, 0.385), Self.face(0.7, 0.385)]
    #expect(FaceOrder.left.indices(of: line) == [1, 0, 2])
    let behind = [Self.face(0.35, 0.3), Self.face(0.3, 0.385), Self.face(0.7, 0.385)]
    #expect(FaceOrder.left.indices(of: behind) == [0, 1, 2])
    let higher = [Self.face(0.5, 0.27), Self.face(0.3, 0.385), Self.face(0.7, 0.385)]
    #expect(FaceOrder.left.indices(of: higher) == [0, 1, 2])
  }

  @Test func numbersAndOutputsHaveOneOrder() throws {
    let faces = [Self.face(0.8, 0.5), Self.face(0.2, 0.5, 0.2), Self.face(0.5, 0.5)]
    for (order, wanted) in [(FaceOrder.left, [1, 2, 0]), (.confidence, [0, 1, 2]), (.size, [1, 0, 2])] {
      let each = try CropPlanner().crops(
        for: faces, in: Self.picture, search: FaceSearch(faces: .each, order: order))
      #expect(each.map(\.faces) == wanted.map { [$0] } && each.map(\.number) == [1, 2, 3])
      for number in 1...3 {
        let one = try CropPlanner().crops(
          for: faces, in: Self.picture, search: FaceSearch(faces: .number(number), order: order))
        #expect(one.map(\.faces) == [[wanted[number - 1]]] && one[0].number == nil)
      }
    }
  }

  @Test func numbersStayWhenCropsAreTakenOut() throws {
    let faces = [Self.face(0.2, 0.5), Self.face(0.5, 0.5), Self.face(0.8, 0.5)]
    let crops = try CropPlanner().crops(for: faces, in: Self.picture, search: FaceSearch(faces: .each))
    var plan = CropPlan(source: Self.picture, detector: "", faces: faces, crops: [crops[0], crops[2]])
    #expect(plan.outputNumbers == [1, 3])
    // A crop that was added by hand never gets the number of a removed face; without any numbers they are counted.
    let added = CropPlan.Crop(region: .whole, faces: [])
    plan.crops.append(added)
    #expect(plan.outputNumbers == [1, 3, 4])
    plan.crops = [added, crops[0], added]
    #expect(plan.outputNumbers == [4, 1, 5])
    plan.crops[1].number = 9
    #expect(plan.outputNumbers == [10, 9, 11])
    plan.crops = crops.map { CropPlan.Crop(region: $0.region, faces: $0.faces) }
    #expect(plan.outputNumbers == [1, 2, 3])
    for numbers in [[1, 1, 2], [0, 1, 2], [-1, 1, 2], [.max, 1, 2]] {
      for (index, number) in numbers.enumerated() { plan.crops[index].number = number }
      #expect(throws: CropPlan.ValidationError.self) { try plan.check() }
    }
  }
}
