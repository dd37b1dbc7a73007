/// A line of text under a print, drawn by ``StrokeFont`` in black on white.
struct Caption {
  /// One byte a pixel, without gaps: 255 is white.
  let pixels: [UInt8]
  let size: PixelSize

  /// The upper bound of characters. Longer captions are cut before they are measured.
  private static let mostCharacters = 200
  /// The lower bound of the letters' size, as a fraction of the size for the height. A longer text is cut.
  private static let leastShare = 0.6

  /// Draws a text in the middle of a box. A long text becomes smaller, then is cut with an ellipsis. Characters without
  /// a glyph are drawn as boxes.
  init(_ text: String, in size: PixelSize) {
    self.size = size
    var ink = [UInt8](repeating: 0, count: size.width * size.height)
    let characters = Self.cut(text, in: size).characters
    let scale = min(Self.full(size), Self.room(size) / max(Self.width(of: characters), 1))
    var x = (Double(size.width) - Self.width(of: characters) * scale) / 2
    let y = (Double(size.height) - (Self.height - StrokeFont.pen) * scale) / 2 - StrokeFont.highest * scale
    for character in characters {
      let glyph = Self.glyph(character)
      for stroke in glyph.strokes {
        for (from, to) in zip(stroke, stroke.dropFirst()) {
          Self.draw(
            (x + from.x * scale, y + from.y * scale), (x + to.x * scale, y + to.y * scale),
            radius: StrokeFont.pen * scale / 2, in: size, &ink)
        }
      }
      x += (glyph.width + StrokeFont.spacing) * scale
    }
    pixels = ink.map { 255 - $0 }
  }

  private static let height = StrokeFont.lowest - StrokeFont.highest + StrokeFont.pen

  /// Returns the scale of letters that fill the height of a box.
  private static func full(_ size: PixelSize) -> Double { Double(size.height) / height }

  /// Returns the width for letters in a box.
  private static func room(_ size: PixelSize) -> Double { Double(size.width) - 2 * full(size) }

  /// Returns the characters that fit into a box, and whether an ellipsis stands for others.
  static func cut(_ text: String, in size: PixelSize) -> (characters: [Character], isCut: Bool) {
    let (least, room) = (full(size) * leastShare, room(size))
    var characters = Array(text.prefix(mostCharacters))
    let isWhole = characters.count == text.count
    guard width(of: characters) * least > room else { return (characters, !isWhole) }
    let dots = Array("...")
    while !characters.isEmpty, width(of: characters + dots) * least > room { characters.removeLast() }
    return (characters + dots, true)
  }

  /// Returns the characters of a text that have no glyph, each once.
  static func missing(in text: String) -> [Character] {
    var missing: [Character] = []
    for character in text.prefix(mostCharacters)
    where StrokeFont.glyph(character) == nil && !missing.contains(character) {
      missing.append(character)
    }
    return missing
  }

  private static func width(of characters: [Character]) -> Double {
    characters.reduce(0) { $0 + glyph($1).width + StrokeFont.spacing } - StrokeFont.spacing
  }

  private static func glyph(_ character: Character) -> StrokeFont.Glyph { StrokeFont.glyph(character) ?? box }

  private static let box = StrokeFont.Glyph(
    width: 5, strokes: [[(0, 0), (5, 0), (5, 9), (0, 9), (0, 0)].map { StrokeFont.Point(x: $0.0, y: $0.1) }])

  /// Draws a line with round ends, with ink by each pixel's distance from it.
  private static func draw(
    _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), radius: Double, in size: PixelSize,
    _ ink: inout [UInt8]
  ) {
    func pixels(_ a: Double, _ b: Double, _ side: Int) -> Range<Int> {
      let low = min(max(Int((min(a, b) - radius - 1).rounded(.down)), 0), side)
      return low..<max(min(Int((max(a, b) + radius + 1).rounded(.up)), side), low)
    }
    let (dx, dy) = (to.x - from.x, to.y - from.y)
    let length = dx * dx + dy * dy
    for row in pixels(from.y, to.y, size.height) {
      for column in pixels(from.x, to.x, size.width) {
        let (px, py) = (Double(column) + 0.5 - from.x, Double(row) + 0.5 - from.y)
        let along = length > 0 ? min(max((px * dx + py * dy) / length, 0), 1) : 0
        let (rx, ry) = (px - along * dx, py - along * dy)
        let coverage = min(max(radius + 0.5 - (rx * rx + ry * ry).squareRoot(), 0), 1)
        let place = row * size.width + column
        ink[place] = max(ink[place], UInt8((coverage * 255).rounded()))
      }
    }
  }
}
