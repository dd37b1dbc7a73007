import CNetworks
import COpenCVReference
import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// The kernels of every instruction set here, compared with OpenCV's run of the authors' file, and with each other.
@Suite struct YuNetKernelTests {
  private static let sizes = [
    (32, 32), (64, 32), (32, 96), (96, 160), (160, 128), (192, 160), (320, 256), (448, 352), (512, 384), (640, 480),
  ]

  /// OpenCV computes in floats, the kernels in 16-bit integers. The largest measured differences for such images are
  /// 0.0064 of a score and 0.019 of a cell.
  @Test func outputsAreNearlyOpenCVs() throws {
    let reference = try Reference()
    // OpenCV 4.10 reads past maps of one or two cells, so its outputs differ from run to run.
    let least = fcreference_reads_narrow_maps() ? 32 : 96
    for picture in try Self.pictures() where min(picture.width, picture.height) >= least {
      let (ours, theirs) = (try Look(at: picture, by: nil), try reference.outputs(of: picture))
      let (score, place) = ours.difference(from: theirs)
      #expect(score < 0.01 && place < 0.025, "\(picture.width)×\(picture.height): \(score), \(place)")
    }
  }

  /// The network's outputs are identical on every machine.
  @Test func instructionSetsAgree() throws {
    for picture in try Self.pictures() {
      let fastest = try Look(at: picture, by: instructionSets.first)
      for instructionSet in instructionSets.dropFirst() {
        let same = try Look(at: picture, by: instructionSet) == fastest
        #expect(same, "\(instructionSet), \(picture.width)×\(picture.height)")
      }
    }
  }

  private static func pictures() throws -> [Pixels] {
    let portrait = try astronaut()
    return sizes.flatMap { (width, height) in
      [
        portrait.resizedBilinear(width: width, height: height),
        Pixels.noise(width: width, height: height, channels: 3, seed: UInt64(width)),
      ]
    }
  }

  /// Images are padded with black for any sides; the sanitizers check the kernels' writes.
  @Test(arguments: instructionSets)
  func anySideIsPadded(instructionSet: String) throws {
    let portrait = try astronaut()
    for side in 1...100 {
      for (width, height) in [(side, 40), (40, side)] {
        let picture = portrait.resizedBilinear(width: width, height: height)
        let whole = PixelsInBlack(picture, multipleOf: 32)
        let (alone, padded) = (
          try Look(at: picture, by: instructionSet), try Look(at: whole.picture, by: instructionSet)
        )
        #expect(alone == padded, "\(width)×\(height)")
      }
    }
  }

  /// A run leaves nothing behind that changes the next one.
  @Test func looksOfOtherSizesDoNotMatter() throws {
    let portrait = try astronaut()
    let pictures = [(448, 352), (32, 32), (192, 160), (100, 77), (448, 352)].map {
      portrait.resizedBilinear(width: $0.0, height: $0.1)
    }
    let network = try KernelNetwork(instructionSet: nil)
    for picture in pictures {
      let (again, alone) = (try Look(at: picture, with: network), try Look(at: picture, by: nil))
      #expect(again == alone)
    }
  }

  /// A run at 448 pixels.
  @Test func activationsAreTwoMebibytesAtMost() throws {
    let network = try KernelNetwork(instructionSet: nil)
    _ = try Look(at: Pixels.noise(width: 448, height: 448, channels: 3), with: network)
    #expect(network.memory <= 2 << 20)
  }

  @Test func sizesThatNobodyLooksAtAreRefused() throws {
    let network = try KernelNetwork(instructionSet: nil)
    let pixels = [UInt8](repeating: 0, count: 3)
    for (width, height) in [(0, 1), (1, 0), (8_193, 1), (1, 8_193), (UInt32.max, UInt32.max)] {
      let picture = unsafe pixels.withUnsafeBufferPointer {
        unsafe FCNetworkImage(pixels: $0.baseAddress!, width: UInt32(width), height: UInt32(height), stride: 3)
      }
      #expect(unsafe fcyunet_run(network.handle, picture) == .misuse)
    }
    #expect(unsafe fcyunet_create("mmx") == nil)
  }

  /// The digests are those in models/README.md. Another length would not compile.
  @Test func weightsAreTheAuthors() throws {
    let readme = try String(
      contentsOf: DocumentationTests.root.appending(path: "models/README.md"), encoding: .utf8)
    for (file, path) in [
      ("yunet_n.weights", "models/yunet_n.weights"),
      ("selfie_segmentation.weights", "models/selfie_segmentation.weights"),
      ("face_mesh.weights", "models/face_mesh.weights"),
      ("selfie_segmentation_landscape.weights", "models/selfie_segmentation_landscape.weights"),
      ("yunet_n_640_640.onnx", "Tests/Fixtures/yunet_n_640_640.onnx"),
    ] {
      let digest = try ContentHash(of: [UInt8](Data(contentsOf: DocumentationTests.root.appending(path: path))))
        .hexadecimal
      let row = try #require(readme.split(separator: "\n").first { $0.contains("`\(file)`") && $0.contains("|") })
      #expect(row.contains(digest), "\(file)")
    }
  }
}

/// The names of this machine's instruction sets, fastest first.
let instructionSets: [String] = {
  var names: [String] = []
  while let name = unsafe fcnetwork_instruction_set(names.count) { unsafe names.append(String(cString: name)) }
  return names
}()

@safe private final class KernelNetwork {
  let handle: OpaquePointer

  init(instructionSet: String?) throws {
    let made = unsafe instructionSet.map { unsafe fcyunet_create($0) } ?? fcyunet_create(nil)
    unsafe handle = try #require(made)
  }

  deinit { unsafe fcyunet_destroy(handle) }

  var memory: Int { unsafe fcyunet_memory(handle) }
}

/// The network's outputs for an image: sixteen numbers for each cell of each level, as in ``FCYuNetGrid``.
private struct Look: Equatable {
  var levels: [[Float]] = []

  init(at picture: Pixels, by instructionSet: String?) throws {
    try self.init(at: picture, with: KernelNetwork(instructionSet: instructionSet))
  }

  init(at picture: Pixels, with network: KernelNetwork) throws {
    let status = unsafe picture.samples.withUnsafeBufferPointer { pixels in
      unsafe fcyunet_run(
        network.handle,
        FCNetworkImage(
          pixels: pixels.baseAddress!, width: UInt32(picture.width), height: UInt32(picture.height),
          stride: picture.width * 3))
    }
    guard status == .ok else { throw FixtureError("the look failed: \(status)") }
    for level in 0..<Int(FCYUNET_LEVELS) {
      let grid = unsafe fcyunet_grid(network.handle, level)
      unsafe levels.append(
        Array(UnsafeBufferPointer(start: grid.values, count: Int(grid.columns) * Int(grid.rows) * 16)))
    }
  }

  /// Returns the largest differences: scores between 0 and 1, and logarithms and offsets unchanged.
  func difference(from reference: [[Float]]) -> (score: Float, place: Float) {
    var largest: (score: Float, place: Float) = (0, 0)
    for (level, values) in levels.enumerated() {
      guard values.count == reference[level].count else { return (.infinity, .infinity) }
      for (index, (value, theirs)) in zip(values, reference[level]).enumerated() {
        if index % 16 < 2 {
          largest.score = max(largest.score, abs(1 / (1 + exp(-value)) - theirs))
        } else {
          largest.place = max(largest.place, abs(value - theirs))
        }
      }
    }
    return largest
  }
}

/// An image at the upper left of a black one.
private struct PixelsInBlack {
  let picture: Pixels

  init(_ inner: Pixels, multipleOf side: Int) {
    let (width, height) = ((inner.width + side - 1) / side * side, (inner.height + side - 1) / side * side)
    var samples = [UInt8](repeating: 0, count: width * height * 3)
    for y in 0..<inner.height {
      let row = inner.samples[y * inner.width * 3..<(y + 1) * inner.width * 3]
      samples.replaceSubrange(y * width * 3..<(y * width + inner.width) * 3, with: row)
    }
    picture = Pixels(width: width, height: height, channels: 3, samples: samples)
  }
}

@safe private final class Reference {
  private let handle: OpaquePointer

  init() throws {
    let onnx = try fixtureBytes("yunet_n_640_640.onnx")
    let made = unsafe onnx.withUnsafeBufferPointer { unsafe fcreference_create($0.baseAddress!, $0.count) }
    unsafe handle = try #require(made)
  }

  deinit { unsafe fcreference_destroy(handle) }

  /// Returns the outputs in the order of ``Look``'s.
  func outputs(of picture: Pixels) throws -> [[Float]] {
    let isDone = unsafe picture.samples.withUnsafeBufferPointer {
      unsafe fcreference_run(handle, $0.baseAddress!, Int32(picture.width), Int32(picture.height))
    }
    try #require(isDone)
    return try [8, 16, 32].map { cell in
      let parts = try [("cls", 1), ("obj", 1), ("bbox", 4), ("kps", 10)].map { (name, numbers) in
        (try output("\(name)_\(cell)"), numbers)
      }
      return (0..<picture.width * picture.height / (cell * cell)).flatMap { place in
        parts.flatMap { values, numbers in values[place * numbers..<(place + 1) * numbers] }
      }
    }
  }

  private func output(_ name: String) throws -> [Float] {
    var count = 0
    guard let values = unsafe fcreference_output(handle, name, &count) else {
      throw FixtureError("no output is called \(name)")
    }
    return unsafe Array(UnsafeBufferPointer(start: values, count: count))
  }
}
