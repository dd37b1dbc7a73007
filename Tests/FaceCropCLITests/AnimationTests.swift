import Foundation
import TestSupport
import Testing

/// `--animation`.
@Suite struct AnimationCommandTests {
  /// Four frames of the portrait in few colors; only the third is sharp.
  static func animation() throws -> AnimationBuilder {
    let portrait = try astronaut().cropped(x: 120, y: 10, width: 220, height: 200)
    let soft = portrait.resizedBilinear(width: 55, height: 50).resizedBilinear(width: 220, height: 200)
    var animation = AnimationBuilder(width: 220, height: 200)
    animation.repetitions = 0
    animation.frames = (0..<4).map { index in
      let picture = index == 2 ? portrait : soft
      let samples = picture.samples.map { $0 & 0xC0 | 0x20 }
      let marked = [UInt8](repeating: UInt8(32 + 64 * index), count: 30) + samples.dropFirst(30)
      var frame = AnimationBuilder.Frame(
        Pixels(width: 220, height: 200, channels: 3, samples: marked).rgba)
      frame.delay = 5 + index
      return frame
    }
    return animation
  }

  /// All commands keep the frames: as GIF beside a GIF, and in the format of the output's name.
  @Test func allFramesAreKept() throws {
    try TemporaryFolder.with { folder in
      let gif = try folder.write(try Self.animation().gif(), to: "wave.gif")
      let made = try Facecrop.run("crop", gif, "--animation", "keep", "--json", "--plan-out", folder / "plan.json")
      #expect(made.status == 0, "\(made.stderr)")
      let wanted = try folder.bytes("wave-crop.gif")
      #expect(made.stderr.isEmpty)
      let info = try jsonObject(Facecrop.run("info", "--json", folder / "wave-crop.gif").lines[0])
      #expect(info["frames"] as? Int == 4 && info["animated"] as? Bool == true)
      let again = try Facecrop.run(
        "crop", gif, "-o", folder / "again.gif", "--animation", "keep", "--plan-in", folder / "plan.json")
      #expect(again.status == 0 && again.stderr.isEmpty, "\(again.stderr)")
      #expect(try folder.bytes("again.gif") == wanted)

      let webP = try Facecrop.run("crop", gif, "-o", folder / "wave.webp", "--animation", "keep", "--size", "96")
      #expect(webP.status == 0, "\(webP.stderr)")
      let shown = try referenceDecodeWebPAnimation(folder.bytes("wave.webp"))
      #expect(shown.last?.end == 260 && max(shown[0].pixels.width, shown[0].pixels.height) == 96)

      let batch = try Facecrop.run("batch", gif, "-d", folder / "out", "--animation", "keep")
      #expect(batch.status == 0, "\(batch.stderr)")
      #expect(try folder.bytes("out/wave.gif") == wanted)
      let worker = try Facecrop.run(
        ["batch", "--worker"],
        stdin: Array(
          "{\"input\":\"\(gif)\",\"output\":\"\(folder / "worker.gif")\",\"animation\":\"keep\"}\n".utf8))
      #expect(worker.status == 0, "\(worker.stderr)")
      #expect(try folder.bytes("worker.gif") == wanted)

      let refused = try Facecrop.run("crop", gif, "-o", folder / "wave.jpg", "--animation", "keep")
      #expect(refused.status == 1 && refused.stderr.contains("facecrop writes no animated JPEG"))
      let limited = try Facecrop.run(
        "crop", gif, "-o", folder / "large.gif", "--animation", "keep", "--max-bytes", "200")
      #expect(limited.status == 1, "\(limited.stderr)")
    }
  }

  /// JPEG XL and HEIC animations have all their frames, and their times.
  @Test func framesOfOtherFormatsAreKept() throws {
    try TemporaryFolder.with { folder in
      let levels: [UInt8] = [20, 90, 200]
      let images = levels.map { Pixels(width: 64, height: 64, color: [$0, $0, $0]) }
      var files = [(name: "a.jxl", bytes: try JXLRecipe().encode(frames: images))]
      #if HEIF
        let items = try images.map { try CodedItem($0) }
        let sequence = HEIFSequenceBuilder(items, times: [100, 200, 300])
        files.append((name: "a.heic", bytes: HEIFBuilder(items[0]).encoded(with: sequence)))
      #endif
      for file in files {
        let path = try folder.write(file.bytes, to: file.name)
        #expect(try Facecrop.run("info", path).text.contains("animated, 3 frames"))
        let made = try Facecrop.run(
          "crop", path, "-o", folder / "o.webp", "--quality", "lossless", "--animation", "keep")
        #expect(made.status == 0, "\(made.stderr)")
        let shown = try referenceDecodeWebPAnimation(folder.bytes("o.webp"))
        #expect(shown.map(\.end) == [100, 300, 600], "\(file.name)")
        for (level, frame) in zip(levels, shown) {
          #expect(abs(Int(frame.pixels.samples[0]) - Int(level)) <= 3, "\(file.name), \(level)")
        }
      }
    }
  }

  /// The best frame is in the plan, and in the output of a plan.
  @Test func theBestFrameIsTaken() throws {
    try TemporaryFolder.with { folder in
      let png = try folder.write(try Self.animation().png(), to: "wave.png")
      let made = try Facecrop.run(
        "crop", png, "-o", folder / "best.png", "--animation", "best", "--plan-out", folder / "plan.json")
      #expect(made.status == 0 && made.stderr.isEmpty, "\(made.stderr)")
      #expect(try String(decoding: folder.bytes("plan.json"), as: UTF8.self).contains("\"animationFrame\":2"))
      let again = try Facecrop.run("crop", png, "-o", folder / "again.png", "--plan-in", folder / "plan.json")
      #expect(again.status == 0 && again.stderr.isEmpty, "\(again.stderr)")
      #expect(try folder.bytes("again.png") == folder.bytes("best.png"))
      let first = try Facecrop.run("crop", png, "-o", folder / "first.png")
      #expect(first.status == 0 && first.stderr.contains("only its first frame was used"))
      #expect(try folder.bytes("first.png") != folder.bytes("best.png"))
    }
  }

  /// A still image can be written as GIF, which has no quality.
  @Test func stillImagesAsGIF() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "a.jpg")
      #expect(try Facecrop.run("crop", input, "-o", folder / "a.gif", "--size", "64").status == 0)
      #expect(try referenceDecodeGIF(folder.bytes("a.gif")).height > 0)
      let refused = try Facecrop.run("crop", input, "-o", folder / "b.gif", "--quality", "80")
      #expect(refused.status == 64 && refused.stderr.contains("GIF, which has none"))
    }
  }
}
