import CNetworks
import COpenCVReference
import FoundationEssentials
import TestSupport

/// The network's forward pass on our kernels, for every instruction set of the machine, compared with OpenCV's.
enum NetworkRuns {
  private static let sizes = [(160, 128), (448, 352), (640, 480)]

  /// Measures milliseconds of processor time on one thread, the least of alternating `rounds`, as a table.
  static func measure(rounds: Int) throws -> String {
    let onnx = try fixtureBytes("yunet_n_640_640.onnx")
    guard let reference = unsafe onnx.withUnsafeBufferPointer({ unsafe fcreference_create($0.baseAddress!, $0.count) })
    else { throw BenchError("OpenCV cannot read the network") }
    defer { unsafe fcreference_destroy(reference) }
    let names = instructionSets
    var lines = [
      "| input | cv::dnn | \(names.joined(separator: " | ")) |",
      "|---|---:|\(names.map { _ in "---:" }.joined(separator: "|"))|",
    ]
    for (width, height) in sizes {
      let picture = try astronaut().resizedBilinear(width: width, height: height)
      let networks = names.map(Kernels.init)
      var least = [Double](repeating: .infinity, count: 1 + names.count)
      for _ in 0..<rounds {
        try unsafe picture.samples.withUnsafeBufferPointer { pixels in
          let pixels = pixels.baseAddress!
          var isDone = false
          least[0] = min(
            least[0], Self.time { isDone = unsafe fcreference_run(reference, pixels, Int32(width), Int32(height)) })
          guard isDone else { throw BenchError("OpenCV cannot run the network") }
          let look = unsafe FCNetworkImage(
            pixels: pixels, width: UInt32(width), height: UInt32(height), stride: width * 3)
          for (place, network) in networks.enumerated() {
            least[1 + place] = min(least[1 + place], Self.time { unsafe network.look(at: look) })
          }
        }
      }
      let cells = least.enumerated().map { place, seconds in
        let milliseconds = "\((seconds * 1e5).rounded() / 100) ms"
        return place == 0 ? milliseconds : "\(milliseconds), \((seconds / least[0] * 1000).rounded() / 1000)"
      }
      lines.append("| \(width)×\(height) | \(cells.joined(separator: " | ")) |")
    }
    return lines.joined(separator: "\n")
  }

  private static var instructionSets: [String] {
    var names: [String] = []
    while let name = unsafe fcnetwork_instruction_set(names.count) { unsafe names.append(String(cString: name)) }
    return names
  }

  private static func time(_ body: () -> Void) -> Double {
    let start = Clock.processor.now
    body()
    return Clock.processor.now - start
  }

  @safe private final class Kernels {
    private let handle: OpaquePointer

    init(instructionSet: String) { unsafe handle = fcyunet_create(instructionSet)! }
    deinit { unsafe fcyunet_destroy(handle) }

    func look(at picture: FCNetworkImage) { _ = unsafe fcyunet_run(handle, picture) }
  }
}
