/// A measurement of faces beyond their boxes: sharpness, and the heads of those that are framed.
struct FaceDescriber {
  private let image: PixelBuffer
  private let networks: ObjectPool<PersonNetwork>

  /// Creates a measurement in the upright image in which the faces were found.
  init(in image: PixelBuffer, by networks: ObjectPool<PersonNetwork>) {
    self.image = image
    self.networks = networks
  }

  /// The upper bound of measured faces in an image.
  static let mostFaces = 32

  /// Returns the faces with the missing sharpness of the ``mostFaces`` largest.
  func withSharpness(_ faces: [Face]) throws(FaceCropError) -> [Face] {
    guard !faces.isEmpty else { return [] }
    let sharpness = FaceSharpness(in: image)
    var faces = faces
    for index in Self.largest(of: faces.indices, in: faces) where faces[index].sharpness == nil {
      faces[index].sharpness = try sharpness.score(of: faces[index])
    }
    return faces
  }

  /// Returns the faces with the missing heads of the ``mostFaces`` largest framed ones. `framed` has their indices.
  /// With `areFine`, the network sees them larger.
  func withHeads(_ faces: [Face], of framed: Set<Int>, areFine: Bool = true) throws(FaceCropError) -> [Face] {
    guard !framed.isEmpty else { return faces }
    let heads = HeadFinder(in: image, by: networks)
    var found = faces
    for index in Self.largest(of: framed, in: faces) where faces[index].head == nil {
      var others = faces
      found[index].head = try heads.head(of: others.remove(at: index), among: others, isFine: areFine)
    }
    return found
  }

  /// Returns the candidates with visible head and shoulders, among the first ``mostPossible``, with their heads.
  func withHeadAndShoulders(_ faces: [Face]) throws(FaceCropError) -> [Face] {
    guard !faces.isEmpty else { return [] }
    let heads = HeadFinder(in: image, by: networks)
    return try faces.prefix(Self.mostPossible).map { (face) throws(FaceCropError) in
      var person = face
      person.head = try heads.headAndShoulders(of: face)
      return person
    }.filter { $0.head != nil }
  }

  private static let mostPossible = 4

  private static func largest(of indices: some Collection<Int>, in faces: [Face]) -> some Sequence<Int> {
    indices.sorted { (-faces[$0].box.area, $0) < (-faces[$1].box.area, $1) }.prefix(mostFaces)
  }
}
