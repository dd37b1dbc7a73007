import Glibc

/// The face's box in `astronaut()`, annotated by hand.
public let astronautFace = (x: 179, y: 63, width: 91, height: 111)

/// Reads a file in Tests/Fixtures.
public func fixtureBytes(_ name: String) throws -> [UInt8] {
  try readFile(fixturePath(name))
}

/// Returns the path of a file in Tests/Fixtures.
public func fixturePath(_ name: String) -> String {
  // Tests/Support/TestSupport/Portraits.swift, three levels below Tests.
  let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
  return (tests + ["Fixtures", name[...]]).joined(separator: "/")
}

/// Returns a portrait of 512×512 with one upright frontal face.
public func astronaut() throws -> Pixels {
  try referenceDecode(fixtureBytes("astronaut.jpg")).pixels
}

/// Returns the portrait with painted lids over both eyes, each with a dark line. facecrop's mesh closes its eyes, too.
public func sleepingAstronaut() throws -> Pixels {
  let portrait = try astronaut()
  var samples = portrait.samples
  let (across, down) = (14, 8)
  for eye in [(x: 203, y: 102), (x: 247, y: 104)] {
    for x in eye.x - across...eye.x + across {
      let (top, bottom) = (portrait[x, eye.y - down], portrait[x, eye.y + down])
      for row in 0...2 * down {
        for channel in 0..<3 {
          let skin = (Int(top[channel]) * (2 * down - row) + Int(bottom[channel]) * row) / (2 * down)
          samples[((eye.y - down + row) * portrait.width + x) * 3 + channel] = UInt8(row == down + 2 ? skin / 2 : skin)
        }
      }
    }
  }
  return Pixels(width: portrait.width, height: portrait.height, channels: 3, samples: samples)
}

/// Returns the portrait out of focus, with open eyes.
public func softAstronaut() throws -> Pixels {
  try astronaut().resizedBilinear(width: 256, height: 256).resizedBilinear(width: 512, height: 512)
}

/// Returns the portrait twice, side by side, 1024×512, the right one darker.
public func twoAstronauts() throws -> Pixels {
  let left = try astronaut()
  var samples: [UInt8] = []
  samples.reserveCapacity(2 * left.samples.count)
  for row in 0..<left.height {
    let line = left.samples[row * left.width * 3..<(row + 1) * left.width * 3]
    samples += line
    samples += line.map { UInt8(Int($0) * 3 / 4) }
  }
  return Pixels(width: 2 * left.width, height: left.height, channels: 3, samples: samples)
}

/// Returns the astronaut at any size with a little noise, like a large camera image. Keeps the proportions: enlarges
/// the largest part of that shape around the face.
public func largePortrait(width: Int, height: Int) throws -> Pixels {
  let portrait = try astronaut()
  let cutWidth = max(1, min(portrait.width, portrait.height * width / height))
  let cutHeight = max(1, min(portrait.height, portrait.width * height / width))
  let left = astronautFace.x + astronautFace.width / 2 - cutWidth / 2
  let top = astronautFace.y + astronautFace.height / 2 - cutHeight / 2
  let cut = portrait.cropped(
    x: min(max(left, 0), portrait.width - cutWidth), y: min(max(top, 0), portrait.height - cutHeight),
    width: cutWidth, height: cutHeight)
  return cut.resizedBilinear(width: width, height: height).addingNoise(amplitude: 4, seed: 1992)
}

/// Reads a whole file without Foundation.
private func readFile(_ path: String) throws -> [UInt8] {
  guard let file = unsafe fopen(path, "rb") else { throw FixtureError("cannot open \(path)") }
  defer { unsafe fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe fread(&chunk, 1, chunk.count, file)
    if count == 0 { break }
    bytes += chunk[..<count]
  }
  guard unsafe ferror(file) == 0 else { throw FixtureError("cannot read \(path)") }
  return bytes
}

extension Pixels {
  /// Returns the image with a copy of another one at a place, as far as it fits.
  public func covered(by copy: Pixels, at place: (x: Int, y: Int)) -> Pixels {
    var samples = samples
    let columns = min(copy.width, width - place.x) * 3
    for y in 0..<min(copy.height, height - place.y) {
      let to = ((y + place.y) * width + place.x) * 3
      samples.replaceSubrange(to..<to + columns, with: copy.samples[y * copy.width * 3..<y * copy.width * 3 + columns])
    }
    return Pixels(width: width, height: height, channels: 3, samples: samples)
  }
}
