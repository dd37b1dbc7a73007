import TestSupport
import Testing

/// JPEG in all the variants that libjpeg-turbo can write: the same portrait gives the same crop.
@Suite struct GeneratedFormatsTests {
  struct Kind: CustomTestStringConvertible {
    var name: String
    var recipe: JPEGRecipe
    var testDescription: String { name }
  }

  static let kinds = JPEGRecipe.allKinds.map { Kind(name: $0.name, recipe: $0.recipe) }

  /// Returns the portrait in a recipe's channels. CMYK is stored inverted.
  private func picture(for recipe: JPEGRecipe) throws -> Pixels {
    let portrait = try astronaut()
    guard recipe.channels == 4 else { return portrait }
    var samples: [UInt8] = []
    samples.reserveCapacity(portrait.width * portrait.height * 4)
    for start in stride(from: 0, to: portrait.samples.count, by: 3) {
      samples += portrait.samples[start..<start + 3] + [255]
    }
    return Pixels(width: portrait.width, height: portrait.height, channels: 4, samples: samples)
  }

  @Test(arguments: kinds)
  func sameCropOfEveryKind(kind: Kind) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(kind.recipe.encode(picture(for: kind.recipe)), to: "in.jpg")
      let outcome = try Facecrop.run(
        "crop", input, "-o", folder / "out.jpg", "--plan-out", folder / "plan.json", "--no-face", "fail")
      #expect(outcome.status == 0)
      #expect(outcome.stderr == "")
      let region = try PlanJSON(folder.text("plan.json")).pixels()
      // The region of the baseline image.
      let baseline = try PlanJSON(
        Facecrop.run("crop", "-", "-o", "/dev/null", "--plan-out", "-", stdin: try Samples.portrait()).text
      ).pixels()
      let middle = (x: region.x + region.width / 2, y: region.y + region.height / 2)
      #expect(abs(middle.x - (baseline.x + baseline.width / 2)) <= 6)
      #expect(abs(middle.y - (baseline.y + baseline.height / 2)) <= 6)
      #expect(abs(region.width - baseline.width) <= 16)

      // Colors are neither inverted nor swapped. Only coarse quantization may differ much.
      let output = try referenceDecode(folder.bytes("out.jpg")).pixels
      let original = try astronaut().cropped(x: region.x, y: region.y, width: region.width, height: region.height)
      let (seen, expected) = kind.recipe.color == .gray ? (output.gray, original.gray) : (output, original)
      #expect(seen.meanDifference(from: expected) < (kind.recipe.quality < 50 ? 25 : 8))
    }
  }

  /// 12-bit, lossless and hierarchical JPEG are refused by name.
  @Test(arguments: [
    (0xC1 as UInt8, 12 as UInt8, "12 bits"), (0xC3, 8, "lossless"), (0xC5, 8, "hierarchical"), (0xCB, 8, "lossless"),
    (0xCF, 8, "hierarchical"),
  ])
  func otherProcessesAreUnsupported(type: UInt8, precision: UInt8, says: String) throws {
    let jpeg = try JPEGSurgery.patchingFrame(of: Samples.portrait(), type: type, precision: precision)
    let outcome = try Facecrop.run("crop", "-", "-o", "-", stdin: jpeg)
    #expect(outcome.status == 1)
    try expectSentence(outcome, about: "standard input", saying: "not supported", says)
  }
}
