import TestSupport
import Testing

@testable import FaceCrop

@Suite struct PadTests {
  private static let fills: [PadFill] = [.color(red: 200, green: 100, blue: 50), .edge, .blur]

  private func padded(_ picture: Pixels, to size: PixelSize, at x: Int, _ y: Int, _ fill: PadFill) throws -> Pixels {
    let place = PixelRect(x: x, y: y, width: picture.width, height: picture.height)
    return Pixels(try PixelBuffer(picture).padded(to: size, at: place, fill: fill))
  }

  @Test(arguments: fills, [1, 3])
  func thePictureStaysAsItIs(fill: PadFill, channels: Int) throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<30 {
      let size = PixelSize(width: .random(in: 1...80, using: &random), height: .random(in: 1...80, using: &random))
      let place = random.rect(in: size)
      let picture = Pixels.noise(width: place.width, height: place.height, channels: channels)
      let output = try padded(picture, to: size, at: place.x, place.y, fill)
      #expect(output.width == size.width && output.height == size.height && output.channels == channels)
      #expect(output.cropped(place) == picture, "\(size) \(place)")
    }
  }

  @Test func colorIsAllAround() throws {
    let picture = Pixels.noise(width: 5, height: 4)
    let output = try padded(
      picture, to: PixelSize(width: 12, height: 9), at: 3, 2, .color(red: 200, green: 100, blue: 50))
    for y in 0..<9 {
      for x in 0..<12 where !(3..<8).contains(x) || !(2..<6).contains(y) {
        #expect(output[x, y] == [200, 100, 50], "\(x), \(y)")
      }
    }
  }

  @Test func aGrayPictureStaysGray() throws {
    let picture = Pixels.noise(width: 2, height: 2, channels: 1)
    for (color, luma) in [
      (PadFill.color(red: 255, green: 255, blue: 255), UInt8(255)), (.color(red: 0, green: 0, blue: 0), 0),
      (.color(red: 255, green: 0, blue: 0), 76), (.color(red: 0, green: 255, blue: 0), 150),
      (.color(red: 0, green: 0, blue: 255), 29),
    ] {
      #expect(try padded(picture, to: PixelSize(width: 3, height: 2), at: 0, 0, color)[2, 1] == [luma])
    }
  }

  @Test(arguments: [1, 3])
  func edgeIsTheNearestPixel(channels: Int) throws {
    let picture = Pixels.noise(width: 5, height: 4, channels: channels)
    let output = try padded(picture, to: PixelSize(width: 31, height: 22), at: 17, 9, .edge)
    for y in 0..<22 {
      for x in 0..<31 {
        #expect(output[x, y] == picture[min(max(x - 17, 0), 4), min(max(y - 9, 0), 3)], "\(x), \(y)")
      }
    }
  }

  @Test(arguments: [1, 3])
  func blurOfOneColorIsThatColor(channels: Int) throws {
    for (width, height) in [(1, 1), (3, 40), (64, 48)] {
      let color = [UInt8](repeating: 137, count: channels)
      let output = try padded(
        Pixels(width: width, height: height, color: color), to: PixelSize(width: 200, height: 90), at: 11, 20, .blur)
      #expect(output.maximumDifference(from: Pixels(width: 200, height: 90, color: color)) <= 1)
    }
  }

  /// The border has no detail, and the image's own tones where it touches it.
  @Test func blurIsSmoothAndTakesUpThePicture() throws {
    let dark = Pixels(width: 40, height: 120, color: [20, 40, 60]).addingNoise(amplitude: 20, seed: 1)
    let light = Pixels(width: 40, height: 120, color: [220, 200, 180]).addingNoise(amplitude: 20, seed: 2)
    var samples: [UInt8] = []
    for y in 0..<120 {
      for half in [dark, light] { samples += half.samples[y * 120..<(y + 1) * 120] }
    }
    let picture = Pixels(width: 80, height: 120, channels: 3, samples: samples)
    let output = try padded(picture, to: PixelSize(width: 240, height: 120), at: 80, 0, .blur)
    for y in 0..<120 {
      for x in [0..<79, 160..<239].joined() {
        let steps = zip(output[x, y], output[x + 1, y]).map { abs(Int($0) - Int($1)) }
        #expect(steps.max()! <= 12, "\(x), \(y): \(steps)")
      }
      #expect(abs(Int(output[79, y][0]) - 20) <= 20 && abs(Int(output[160, y][0]) - 220) <= 20, "\(y)")
    }
  }

  @Test func imagesOfTheOutputsSizeStay() throws {
    let picture = Pixels.noise(width: 9, height: 7)
    for fill in Self.fills {
      #expect(try padded(picture, to: PixelSize(width: 9, height: 7), at: 0, 0, fill) == picture)
    }
  }
}
