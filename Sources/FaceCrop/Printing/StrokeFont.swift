/// A font of strokes for captions: Latin letters with their accents, digits and punctuation. It was drawn for facecrop, so that captions
/// need no font of the system.
///
/// Capitals are 9 units high: `y` is 0 at their top and 9 at the baseline.
enum StrokeFont {
  struct Point: Hashable, Sendable {
    var x, y: Double
  }

  struct Glyph: Sendable {
    /// Without the space to the next one.
    var width: Double
    /// Open lines; a dot is a line of two equal points.
    var strokes: [[Point]]
  }

  /// The extent of letters above and below capitals, and the width of a stroke.
  static let (highest, lowest, pen) = (-3.4, 12.6, 1.15)
  /// Between two glyphs.
  static let spacing = 2.2

  /// Nil for a character that the font does not have.
  static func glyph(_ character: Character) -> Glyph? { glyphs[character] ?? accented[character] }

  /// Each glyph: the character, its width, and its strokes. Strokes with `~` are round.
  private static let drawings = """
    A 7 0,9 3.5,0 7,9|1.3,6 5.7,6
    B 6 0,0 0,9|~0,0 3,0 5.4,0.6 5.4,3.7 3,4.3 0,4.3|~0,4.3 3.4,4.3 6,5 6,8.3 3.4,9 0,9
    C 6.5 ~6.5,1.8 5,0 1.5,0 0,2.5 0,6.5 1.5,9 5,9 6.5,7.2
    D 6.5 0,0 0,9|~0,0 3.5,0 6.5,1 6.5,8 3.5,9 0,9
    E 5.5 5.5,0 0,0 0,9 5.5,9|0,4.4 4.6,4.4
    F 5.3 5.3,0 0,0 0,9|0,4.4 4.5,4.4
    G 7 ~6.7,1.8 5.2,0 1.6,0 0,2.5 0,6.5 1.6,9 5.4,9 7,7.5 7,5|7,4.8 4,4.8
    H 6.5 0,0 0,9|6.5,0 6.5,9|0,4.4 6.5,4.4
    I 0 0,0 0,9
    J 4.5 ~4.5,0 4.5,7.5 3,9 1,9 0,7
    K 6 0,0 0,9|6,0 0,5.5|2.2,3.6 6,9
    L 5 0,0 0,9 5,9
    M 8 0,9 0,0 4,6.5 8,0 8,9
    N 6.5 0,9 0,0 6.5,9 6.5,0
    O 7.4 ~3.7,0 1.2,0 0,2.2 0,6.8 1.2,9 3.7,9 6.2,9 7.4,6.8 7.4,2.2 6.2,0 3.7,0
    P 5.8 0,0 0,9|~0,0 3.4,0 5.8,0.6 5.8,4.4 3.4,5 0,5
    Q 7.4 ~3.7,0 1.2,0 0,2.2 0,6.8 1.2,9 3.7,9 6.2,9 7.4,6.8 7.4,2.2 6.2,0 3.7,0|4.6,6.6 7.4,9.8
    R 6.2 0,0 0,9|~0,0 3.4,0 5.8,0.6 5.8,4.4 3.4,5 0,5|3.2,5 6.2,9
    S 6 ~5.8,1.7 4.6,0 1.4,0 0,1.4 0.4,3.8 5.6,5 6,7.4 4.6,9 1.4,9 0,7.3
    T 6.4 0,0 6.4,0|3.2,0 3.2,9
    U 6.4 ~0,0 0,7 1.6,9 4.8,9 6.4,7 6.4,0
    V 6.6 0,0 3.3,9 6.6,0
    W 9.6 0,0 2.4,9 4.8,1.5 7.2,9 9.6,0
    X 6.4 0,0 6.4,9|6.4,0 0,9
    Y 6.6 0,0 3.3,4.6 6.6,0|3.3,4.6 3.3,9
    Z 6 0,0 6,0 0,9 6,9
    a 4.8 ~4.8,4.4 3.6,3 1.4,3 0,4.6 0,7.4 1.4,9 3.6,9 4.8,7.6|4.8,3 4.8,9
    b 4.8 0,-0.5 0,9|~0,4.4 1.2,3 3.4,3 4.8,4.6 4.8,7.4 3.4,9 1.2,9 0,7.6
    c 4.4 ~4.4,4.3 3.3,3 1.4,3 0,4.6 0,7.4 1.4,9 3.3,9 4.4,7.7
    d 4.8 ~4.8,4.4 3.6,3 1.4,3 0,4.6 0,7.4 1.4,9 3.6,9 4.8,7.6|4.8,-0.5 4.8,9
    e 4.8 0,6 4.8,6|~4.8,6 4.8,4.4 3.6,3 1.3,3 0,4.5 0,7.5 1.4,9 3.4,9 4.6,7.8
    f 3 ~3,-0.4 1.8,-0.6 1,0.4 1,2 1,9|0,3 2.8,3
    g 4.8 ~4.8,4.4 3.6,3 1.4,3 0,4.6 0,7.4 1.4,9 3.6,9 4.8,7.6|~4.8,3 4.8,10.5 3.6,12 1.4,12 0.2,11
    h 4.6 0,-0.5 0,9|~0,4.8 1.2,3 3.4,3 4.6,4.4 4.6,9
    i 0 0,3 0,9|0,0.6 0,0.6
    ı 0 0,3 0,9
    j 1.2 ~1.2,3 1.2,10.8 0.4,12 -0.6,12|1.2,0.6 1.2,0.6
    k 4.6 0,-0.5 0,9|4.2,3 0,6.6|1.6,5.4 4.6,9
    l 0 0,-0.5 0,9
    m 8 0,3 0,9|~0,4.8 1,3 3,3 4,4.4 4,9|~4,4.8 5,3 7,3 8,4.4 8,9
    n 4.6 0,3 0,9|~0,4.8 1.2,3 3.4,3 4.6,4.4 4.6,9
    o 5 ~2.5,3 0.9,3 0,4.6 0,7.4 0.9,9 2.5,9 4.1,9 5,7.4 5,4.6 4.1,3 2.5,3
    p 4.8 0,3 0,12|~0,4.4 1.2,3 3.4,3 4.8,4.6 4.8,7.4 3.4,9 1.2,9 0,7.6
    q 4.8 ~4.8,4.4 3.6,3 1.4,3 0,4.6 0,7.4 1.4,9 3.6,9 4.8,7.6|4.8,3 4.8,12
    r 3 0,3 0,9|~0,5.2 0.8,3.4 2,2.9 3,3.1
    s 4.2 ~4,4.2 3.2,3 1,3 0.1,4 0.4,5.4 3.8,6.4 4.2,7.9 3.2,9 1,9 0,7.8
    t 3.2 ~1,0.8 1,7.8 1.8,9 3.2,8.8|0,3 3,3
    u 4.6 ~0,3 0,7.6 1.2,9 3.4,9 4.6,7.2|4.6,3 4.6,9
    v 4.6 0,3 2.3,9 4.6,3
    w 7 0,3 1.75,9 3.5,3.6 5.25,9 7,3
    x 4.4 0,3 4.4,9|4.4,3 0,9
    y 4.6 0,3 2.4,9|~4.6,3 2.4,9 1.4,11.6 0.2,12
    z 4.2 0,3 4.2,3 0,9 4.2,9
    0 5.6 ~2.8,0 1,0 0,2 0,7 1,9 2.8,9 4.6,9 5.6,7 5.6,2 4.6,0 2.8,0
    1 3 0,1.8 2.4,0 2.4,9
    2 5.4 ~0.2,2.2 0.8,0.4 2.6,-0.2 4.8,0.3 5.2,2.4 4.2,4.6 0,9|0,9 5.4,9
    3 5.2 ~0.2,1.4 1.4,0 3.8,0 5,1.2 4.8,3.6 3.4,4.3 2,4.3|~2,4.3 3.6,4.3 5.2,5 5.2,7.8 3.8,9 1.4,9 0,7.6
    4 5.8 4.4,9 4.4,0 0,6.4 5.8,6.4
    5 5.4 5,0 0.7,0 0.3,4.2|~0.3,4.2 1.6,3.4 4,3.4 5.4,5 5.4,7.4 4,9 1.4,9 0,7.8
    6 5.4 ~4.8,1.2 3.8,0 1.8,0 0.1,2.4 0,6 0.4,8.2 1.8,9 3.8,9 5.4,7.8 5.4,5.4 4,4 1.6,4 0,5.8
    7 5.2 0,0 5.2,0 1.8,9
    8 5.4 ~2.7,0 1,0 0.3,1.2 0.3,3 1.2,4.2 2.7,4.2 4.2,4.2 5.1,3 5.1,1.2 4.4,0 2.7,0|~2.7,4.2 0.8,4.2 0,5.6 0,7.8 1,9 2.7,9 4.4,9 5.4,7.8 5.4,5.6 4.6,4.2 2.7,4.2
    9 5.4 ~0.6,7.8 1.6,9 3.6,9 5.3,6.6 5.4,3 5,0.8 3.6,0 1.6,0 0,1.2 0,3.6 1.4,5 3.8,5 5.4,3.2
    . 0 0,9 0,9
    , 0.4 0.4,8.8 0,10.4
    : 0 0,4.6 0,4.6|0,9 0,9
    ; 0.4 0.4,4.6 0.4,4.6|0.4,8.8 0,10.4
    ! 0 0,0 0,6|0,9 0,9
    ? 4.4 ~0,1.6 1,0 3.4,0 4.4,1.6 3.8,3.8 2.2,4.8 2.2,6.4|2.2,9 2.2,9
    - 3 0,5.6 3,5.6
    – 4.6 0,5.6 4.6,5.6
    — 7 0,5.6 7,5.6
    _ 5 0,10.4 5,10.4
    + 5 2.5,3 2.5,8.2|0,5.6 5,5.6
    = 5 0,4.4 5,4.4|0,6.8 5,6.8
    / 3.6 3.6,-0.5 0,10
    ' 0 0,-0.3 0,1.8
    ’ 0.6 0.6,-0.3 0,1.8
    ‘ 0.6 0,-0.3 0.6,1.8
    " 1.8 0,-0.3 0,1.8|1.8,-0.3 1.8,1.8
    “ 2.4 0,-0.3 0.6,1.8|1.8,-0.3 2.4,1.8
    ” 2.4 0.6,-0.3 0,1.8|2.4,-0.3 1.8,1.8
    ( 2 ~2,-0.8 0.2,2 0.2,7.6 2,10.4
    ) 2 ~0,-0.8 1.8,2 1.8,7.6 0,10.4
    & 6.6 ~6.6,9 1.4,2.6 1.4,0.6 2.8,-0.1 4.2,0.7 4,2.6 0.6,5.2 0.1,7.4 1.6,9 3.8,8.6 6.2,5
    # 6 2,0 1,9|5,0 4,9|0.2,3 6,3|0,6 5.8,6
    @ 8 ~5.8,6.2 5,3.4 3,3.4 2.2,5 3,6.6 5,6.6 5.8,3.4 6,6.6 8,6.2 8,2.6 5.8,0 2.2,0 0,2.6 0,7 2.2,9.6 5.6,9.6
    · 0 0,5.4 0,5.4
    ß 4.6 ~0,9 0,1.4 1,0 2.8,0 3.8,1.2 3.4,3 2.2,4 2.6,5 4.2,5.8 4.4,7.6 3,9 1.6,8.8
    ł 1.6 0.8,-0.5 0.8,9|-0.4,5.6 2,3.4
    Ł 5.4 0.4,0 0.4,9 5.4,9|-0.6,6 2.6,3.4
    ø 5 ~2.5,3 0.9,3 0,4.6 0,7.4 0.9,9 2.5,9 4.1,9 5,7.4 5,4.6 4.1,3 2.5,3|0,9.6 5,2.4
    Ø 7.4 ~3.7,0 1.2,0 0,2.2 0,6.8 1.2,9 3.7,9 6.2,9 7.4,6.8 7.4,2.2 6.2,0 3.7,0|0.4,9.8 7,-0.8
    đ 5.6 ~4.8,4.4 3.6,3 1.4,3 0,4.6 0,7.4 1.4,9 3.6,9 4.8,7.6|4.8,-0.5 4.8,9|2.8,1.2 6,1.2
    Đ 6.5 0,0 0,9|~0,0 3.5,0 6.5,1 6.5,8 3.5,9 0,9|-1.2,4.4 2.6,4.4
    Ð 6.5 0,0 0,9|~0,0 3.5,0 6.5,1 6.5,8 3.5,9 0,9|-1.2,4.4 2.6,4.4
    ð 5 ~4.4,4.6 3.4,3.4 1.4,3.4 0,5 0,7.4 1.4,9 3.4,9 5,7.4 4.8,4 1.6,-0.4|0.8,1.8 4,0
    þ 4.8 0,-0.5 0,12|~0,4.4 1.2,3 3.4,3 4.8,4.6 4.8,7.4 3.4,9 1.2,9 0,7.6
    Þ 5.8 0,0 0,9|~0,2 3.4,2 5.8,2.6 5.8,6.2 3.4,6.8 0,6.8
    æ 8.6 ~4.3,4.6 3.4,3 1.2,3 0.2,4.2|~4.3,6 1.4,6 0,7 0,8.2 1.2,9 3.2,9 4.3,7.4|4.3,6 8.6,6|~8.6,6 8.6,4.4 7.4,3 5.4,3 4.3,4.6 4.3,7.4 5.4,9 7.4,9 8.4,7.8
    Æ 9.6 0,9 4.4,0 9.6,0|4.8,0 4.8,9 9.6,9|1.6,6 4.8,6|4.8,4.4 8.8,4.4
    œ 9 ~2.3,3 0.9,3 0,4.6 0,7.4 0.9,9 2.3,9 3.7,9 4.5,7.4 4.5,4.6 3.7,3 2.3,3|4.5,6 9,6|~9,6 9,4.4 7.8,3 5.6,3 4.5,4.6 4.5,7.4 5.6,9 7.8,9 8.8,7.8
    Œ 10.4 ~5.4,0 2,0 0,2 0,7 2,9 5.4,9|5.4,0 5.4,9|10.4,0 5.4,0|5.4,4.4 9.6,4.4|5.4,9 10.4,9
    """

  /// Marks above a letter whose top is at 0, and below the baseline at 9, about the middle at 0: by their combining character.
  private static let marks: [(mark: Unicode.Scalar, isBelow: Bool, strokes: String)] = [
    ("\u{300}", false, "-1.2,-3 0.4,-1.4"), ("\u{301}", false, "1.2,-3 -0.4,-1.4"),
    ("\u{302}", false, "-1.6,-1.4 0,-3 1.6,-1.4"), ("\u{303}", false, "~-1.9,-1.6 -1,-2.9 0.8,-1.4 1.9,-2.7"),
    ("\u{304}", false, "-1.6,-2.2 1.6,-2.2"), ("\u{306}", false, "~-1.6,-3 -1,-1.4 1,-1.4 1.6,-3"),
    ("\u{307}", false, "0,-2.2 0,-2.2"), ("\u{308}", false, "-1.3,-2.2 -1.3,-2.2|1.3,-2.2 1.3,-2.2"),
    ("\u{30A}", false, "~0,-3.2 -1,-3.2 -1.1,-2.2 -1,-1.2 0,-1.2 1,-1.2 1.1,-2.2 1,-3.2 0,-3.2"),
    ("\u{30B}", false, "0,-3 -1.2,-1.4|2,-3 0.8,-1.4"), ("\u{30C}", false, "-1.6,-3 0,-1.4 1.6,-3"),
    ("\u{326}", true, "0.2,10.6 -0.4,12.2"), ("\u{327}", true, "~0,9 0,10 1.2,10.4 1,12 -0.8,12"),
    ("\u{328}", true, "~1,9 0,10.4 0.4,11.8 1.6,11.6"),
  ]

  private static let glyphs: [Character: Glyph] = {
    var glyphs: [Character: Glyph] = [" ": Glyph(width: 1.6, strokes: []), "\u{A0}": Glyph(width: 1.6, strokes: [])]
    for line in drawings.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      glyphs[Character(String(parts[0]))] = Glyph(width: Double(parts[1])!, strokes: strokes(of: parts[2]))
    }
    return glyphs
  }()

  /// Letters with one accent. Characters are equal if their canonical decompositions are, so that composed letters are found, too.
  private static let accented: [Character: Glyph] = {
    var accented: [Character: Glyph] = [:]
    for (character, glyph) in glyphs where character.isASCII && character.isLetter {
      for mark in marks {
        let letter = String(character) + String(mark.mark)
        let base = mark.isBelow ? glyph : (character == "i" || character == "j") ? dotless(glyph) : glyph
        let top = character.isUppercase || "bdfhklt".contains(character) ? 0 : 3.0
        let added = strokes(of: Substring(mark.strokes)).map { stroke in
          stroke.map { Point(x: $0.x + base.width / 2, y: $0.y + (mark.isBelow ? 0 : top)) }
        }
        accented[Character(letter)] = Glyph(width: base.width, strokes: base.strokes + added)
      }
    }
    return accented
  }()

  /// Without its last stroke.
  private static func dotless(_ glyph: Glyph) -> Glyph {
    Glyph(width: glyph.width, strokes: Array(glyph.strokes.dropLast()))
  }

  private static func strokes(of text: Substring) -> [[Point]] {
    text.split(separator: "|").map { stroke in
      let isRound = stroke.first == "~"
      let points = stroke.dropFirst(isRound ? 1 : 0).split(separator: " ").map { pair in
        let numbers = pair.split(separator: ",").map { Double($0)! }
        return Point(x: numbers[0], y: numbers[1])
      }
      return isRound ? rounded(points) : points
    }
  }

  /// Cuts the corners of a line, whose ends stay (Chaikin, "An algorithm for high-speed curve generation", 1974).
  private static func rounded(_ points: [Point]) -> [Point] {
    var points = points
    for _ in 0..<3 {
      var cut = [points[0]]
      for (from, to) in zip(points, points.dropFirst()) {
        cut.append(Point(x: from.x * 0.75 + to.x * 0.25, y: from.y * 0.75 + to.y * 0.25))
        cut.append(Point(x: from.x * 0.25 + to.x * 0.75, y: from.y * 0.25 + to.y * 0.75))
      }
      points = cut + [points[points.count - 1]]
    }
    return points
  }
}
