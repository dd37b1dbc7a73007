import Testing

@testable import FaceCrop

/// The text under a print.
@Suite struct CaptionTests {
  private func ink(_ text: String, width: Int = 400, height: Int = 60) -> (count: Int, left: Int, right: Int) {
    let caption = Caption(text, in: PixelSize(width: width, height: height))
    #expect(caption.pixels.count == width * height)
    let dark = caption.pixels.indices.filter { caption.pixels[$0] < 128 }
    let columns = dark.map { $0 % width }
    return (dark.count, columns.min() ?? width, columns.max() ?? 0)
  }

  @Test func everyLetterOfEuropesLatinScriptsIsDrawn() {
    let letters = """
      ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:;!?-–—_+=/'’‘"“”()&#@·
      ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ
      ĀāĂăĄąĆćČčĎďĐđĒēĖėĘęĚěĞğĢģĪīĮįİıĶķĹĺĻļŁłŃńŅņŇňŌōŐőŒœŔŕŖŗŘřŚśŞşŠšŢţŤťŪūŮůŰűŲųŹźŻżŽžȘșȚț
      """
    #expect(Caption.missing(in: letters.filter { $0 != "\n" }) == [])
    for letter in letters where letter != "\n" { #expect(ink(String(letter)).count > 4, "\(letter)") }
    // Composed or not, a letter is the same; and no two are drawn alike.
    #expect(
      Caption("e\u{301}", in: PixelSize(width: 90, height: 60)).pixels
        == Caption("é", in: PixelSize(width: 90, height: 60)).pixels)
    let drawn = Set("EÉÈÊËĒĖĘĚ".map { Caption(String($0), in: PixelSize(width: 90, height: 60)).pixels })
    #expect(drawn.count == 9)
  }

  @Test func textStandsInTheMiddleAndInItsBox() {
    for text in ["Zoë", "A very long name that has to become smaller", String(repeating: "Wide ", count: 100)] {
      let (count, left, right) = ink(text)
      #expect(count > 50 && left > 0 && right < 399 && abs(left - (399 - right)) <= 6, "\(text): \(left) \(right)")
    }
    #expect(ink("").count == 0)
    for (width, height) in [(1, 1), (3, 60), (60, 3)] { _ = ink("Zoë Müller", width: width, height: height) }
  }

  @Test func unknownLettersAreBoxes() {
    #expect(Caption.missing(in: "Ωx漢Ω") == ["Ω", "漢"])
    #expect(ink("Ω").count > 20)
  }
}
