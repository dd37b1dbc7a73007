/// The JSON form: `{"name": "mine", "size": [96, 112], "points": [[30.3, 51.7], …]}`. `fit` is one of ``FaceTemplate/Fit``
/// and `border` is `edge`, `mirror` or a color such as `ff8000`; both have the defaults of the initializer.
extension FaceTemplate: Codable {
  private enum CodingKeys: CodingKey {
    case name, size, points, fit, border
  }

  /// Decodes and checks a template. It throws `DecodingError` for numbers out of their ranges.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func fault(_ key: CodingKeys, _ text: String) -> DecodingError {
      DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: text)
    }
    let sides = try container.decode([Int].self, forKey: .size)
    guard sides.count == 2 else { throw fault(.size, "a template's size must be [width, height]") }
    let points = try container.decodeIfPresent([[Double]].self, forKey: .points) ?? []
    guard points.allSatisfy({ $0.count == 2 }) else { throw fault(.points, "a template's points must be [x, y]") }
    let fit = try container.decodeIfPresent(String.self, forKey: .fit) ?? Fit.output.rawValue
    guard let fit = Fit(rawValue: fit) else { throw fault(.fit, "a template's fit must be output, image or ffhq") }
    let border = try container.decodeIfPresent(String.self, forKey: .border) ?? "000000"
    guard let border = Border(text: border) else {
      throw fault(.border, "a template's border must be edge, mirror or a color such as ff8000")
    }
    self.init(
      name: try container.decode(String.self, forKey: .name), size: PixelSize(width: sides[0], height: sides[1]),
      points: points.map { Point(x: $0[0], y: $0[1]) }, fit: fit, border: border)
    do throws(FaceCropError) {
      try check()
    } catch {
      guard case .invalidRequest(let reason) = error else { throw error }
      throw fault(.points, "\(reason)")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode([size.width, size.height], forKey: .size)
    if !points.isEmpty { try container.encode(points.map { [$0.x, $0.y] }, forKey: .points) }
    try container.encode(fit.rawValue, forKey: .fit)
    try container.encode(border.text, forKey: .border)
  }
}

extension FaceTemplate.Border {
  /// Creates a border from `edge`, `mirror` or six hexadecimal digits.
  fileprivate init?(text: String) {
    switch text {
    case "edge": self = .edge
    case "mirror": self = .mirror
    default:
      guard let color = BackgroundColor(hexadecimal: text) else { return nil }
      self = .color(red: color.red, green: color.green, blue: color.blue)
    }
  }

  fileprivate var text: String {
    switch self {
    case .edge: "edge"
    case .mirror: "mirror"
    case .color(let red, let green, let blue): BackgroundColor(red: red, green: green, blue: blue).hexadecimal
    }
  }
}

extension FaceTemplate: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("name", name)
    key.field("size", [size.width, size.height])
    key.field("points", points)
    key.field("fit", fit)
    key.field("border", border)
  }
}

extension FaceTemplate.Point: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("x", x)
    key.field("y", y)
  }
}

extension FaceTemplate.Border: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .color(let red, let green, let blue): key.field("color", [Int(red), Int(green), Int(blue)])
    case .edge: key.append(case: "edge")
    case .mirror: key.append(case: "mirror")
    }
  }
}
