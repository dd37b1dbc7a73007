/// Profiles whose few bytes cost much, and profiles that are not for images.
public enum HostileProfile {
  /// Returns an RGB profile with only `multiProcessElements` (ICC.1:2022, 10.15): one matrix or set of curves,
  /// repeated.
  public static func steps(_ count: Int, areCurves: Bool = false) -> [UInt8] {
    let element = areCurves ? curves : matrix
    let place = UInt32(16 + 8 * count).bigEndianBytes + UInt32(element.count).bigEndianBytes
    var tag = Array("mpet\0\0\0\0".utf8) + channels + UInt32(count).bigEndianBytes
    tag.reserveCapacity(16 + 8 * count + element.count)
    for _ in 0..<count { tag += place }
    return ICCBuilder.profile(of: [("D2B0", tag + element)], "mntr", "RGB ", "XYZ ", version: 0x0430_0000)
  }

  /// Three inputs, three outputs.
  private static let channels: [UInt8] = [0, 3, 0, 3]

  private static func float(_ value: Float) -> [UInt8] { value.bitPattern.bigEndianBytes }

  /// A matrix that leaves colors unchanged.
  private static let matrix =
    Array("matf\0\0\0\0".utf8) + channels
    + [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0].flatMap { float($0) }

  /// Three equal curves of one segment, which is a function.
  private static let curves: [UInt8] = {
    let curve =
      Array("curf\0\0\0\0".utf8) + [0, 1, 0, 0] + Array("parf\0\0\0\0".utf8) + [0, 0, 0, 0]
      + [1, 1, 0, 0].flatMap { float($0) }
    let place = UInt32(36).bigEndianBytes + UInt32(curve.count).bigEndianBytes
    return Array("cvst\0\0\0\0".utf8) + channels + place + place + place + curve
  }()

  // MARK: Tables

  /// Returns a table with 8 bits a number, truncated or filled up to `length`.
  public static func lut8(inputs: Int, side: Int) -> [UInt8] {
    head("mft1", inputs, side) + [UInt8](repeating: 7, count: 256 * inputs + 3 * power(side, inputs) + 256 * 3)
  }

  public static func lut16(inputs: Int, side: Int, entries: Int) -> [UInt8] {
    head("mft2", inputs, side) + UInt16(entries).bigEndianBytes + UInt16(entries).bigEndianBytes
      + ramp(entries, times: inputs) + [UInt8](repeating: 7, count: 6 * power(side, inputs)) + ramp(entries, times: 3)
  }

  /// Returns a table with all its steps: curves, a matrix, curves, a grid, curves.
  public static func steppedTable(inputs: Int, side: Int, width: Int, entries: Int) -> [UInt8] {
    var places: [Int] = []
    var body: [UInt8] = []
    func add(_ step: [UInt8], _ times: Int = 1) {
      places.append(32 + body.count)
      let filled = step + [UInt8](repeating: 0, count: -step.count & 3)
      for _ in 0..<times { body += filled }
    }
    let curve = Array("curv\0\0\0\0".utf8) + UInt32(entries).bigEndianBytes + ramp(entries, times: 1)
    let one = UInt32(65_536).bigEndianBytes
    let none = UInt32(0).bigEndianBytes
    add(curve, 3)
    add([one, none, none, none, one, none, none, none, one, none, none, none].flatMap { $0 })
    add(curve, 3)
    add(
      [UInt8](repeating: UInt8(side), count: inputs) + [UInt8](repeating: 0, count: 16 - inputs) + [
        UInt8(width), 0, 0, 0,
      ]
        + [UInt8](repeating: 7, count: 3 * width * power(side, inputs)))
    add(curve, inputs)
    return Array("mAB \0\0\0\0".utf8) + [UInt8(inputs), 3, 0, 0] + places.flatMap { UInt32($0).bigEndianBytes } + body
  }

  /// Returns a profile of one table.
  public static func profile(table: [UInt8], inputs: Int, version: UInt32 = 0x0240_0000) -> [UInt8] {
    ICCBuilder.profile(of: [("A2B0", table)], "prtr", inputs == 4 ? "CMYK" : "RGB ", "Lab ", version: version)
  }

  private static func head(_ type: String, _ inputs: Int, _ side: Int) -> [UInt8] {
    let matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap { UInt32($0 * 65_536).bigEndianBytes }
    return Array((type + "\0\0\0\0").utf8) + [UInt8(inputs), 3, UInt8(side), 0] + matrix
  }

  private static func ramp(_ entries: Int, times: Int) -> [UInt8] {
    let one = (0..<entries).flatMap { UInt16($0 * 65_535 / max(entries - 1, 1)).bigEndianBytes }
    return (0..<times).flatMap { _ in one }
  }

  private static func power(_ side: Int, _ count: Int) -> Int { (0..<count).reduce(1) { product, _ in product * side } }
}
