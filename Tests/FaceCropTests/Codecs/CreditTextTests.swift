import FoundationEssentials
import TestSupport
import Testing

@testable import FaceCrop

/// Texts of credits in outputs: they are short, and no image.
@Suite struct CreditTextTests {
  /// Texts have the bound of EXIF's, and those of a list together.
  @Test func textsAreShort() throws {
    let (most, long) = (String(repeating: "x", count: 4_095), String(repeating: "x", count: 4_096))
    for text in Credits.texts {
      var credits = Credits(creators: ["A"])
      credits[keyPath: text] = most
      #expect(CreditSources(xmp: try #require(XMPPacket.written(credits).packet)).read() == (credits, true))
      credits[keyPath: text] = long
      let (packet, isWhole) = XMPPacket.written(credits)
      #expect(!isWhole)
      #expect(CreditSources(xmp: try #require(packet)).read().credits == Credits(creators: ["A"]))
    }
    for list in Credits.lists {
      var credits = Credits()
      credits[keyPath: list] = (0..<190).map { "a text of 21 letters \($0)" }
      let (packet, isWhole) = XMPPacket.written(credits)
      let kept = CreditSources(xmp: try #require(packet)).read().credits[keyPath: list]
      #expect(!isWhole && kept.count > 150 && kept.joined().utf8.count < 4_096)
    }
  }

  /// A small image as base64 fits into one text, and its lines into a list.
  @Test func codedDataAreNoTexts() async throws {
    let image = try JPEGRecipe(quality: 30).encode(.testPattern(width: 48, height: 48, channels: 3, seed: 3))
    let data = Data(image)
    let base64 = data.base64EncodedString()
    let lines = data.base64EncodedString(options: .lineLength76Characters)
    let hexadecimal = image.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    for text in [base64, lines, "photo: " + base64, String(hexadecimal.prefix(4_000))] {
      #expect(text.utf8.count < 4_096)
      for property in Credits.texts {
        var credits = Credits()
        credits[keyPath: property] = text
        #expect(XMPPacket.written(credits) == (nil, false))
      }
      for list in Credits.lists {
        for parts in [[text], text.split(separator: "\r\n").map(String.init)] {
          var credits = Credits()
          credits[keyPath: list] = parts
          #expect(XMPPacket.written(credits) == (nil, false))
        }
      }
      let tiff = EXIFBuilder.tiff(artist: text, copyright: "Owner")
      let kept = try #require(EXIF(tiff)).kept(by: .keep, size: PixelSize(width: 1, height: 1))
      #expect(EXIF(kept ?? []).map { Credits($0) } == Credits(copyrightNotice: "Owner"))
    }
    let keywords = (0..<500).map { "k\($0)" }
    #expect(XMPPacket.written(Credits(keywords: keywords)).isWhole)
  }
}
