import ArgumentParser
import FaceCrop

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print the format, size and crop cost of images, from their headers.",
    usage: "facecrop info [<options>] <input> ...",
    discussion: HelpText.examples(
      """
      facecrop info photo.jpg
      facecrop info --json photos/*.jpg > info.ndjson
      """))

  @Argument(help: ArgumentHelp("Image files; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: HelpTitle.limits) var limits: LimitOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: JSONOption

  func validate() throws {
    for input in inputs { try Input.checkIsNoURL(input) }
  }

  mutating func run() async throws {
    let json = reporting.json
    let cropper = FaceCropper(limits: limits.limits)
    let reporter = Reporter(.none)
    let names = EachInput.Name.all(inputs)
    let each = EachInput(inputs: names, limits: limits.limits, reporter: reporter) { input, error in
      json ? JSONLines.safeLine(FailureLine(input, error)) : nil
    }
    try await each { input, source in
      let info = try await cropper.info(of: source)
      for warning in info.warnings { reporter.warn(input.text, warning) }
      return json ? JSONLines.safeLine(InfoLine(input, info)) : InfoText.block(input.text, info)
    }
  }
}

/// The credits of an image in `info --json`. Missing ones are omitted.
private struct CreditLines: Encodable {
  var creators: [String]?
  var credit: String?
  var copyright: String?
  var rights: String?
  var webStatement: String?
  var description: String?
  var title: String?
  var headline: String?
  var keywords: [String]?
  var people: [String]?
  var rating: Int?

  init(_ credits: Credits) {
    creators = credits.creators.isEmpty ? nil : credits.creators
    credit = credits.creditLine
    copyright = credits.copyrightNotice
    rights = credits.usageTerms
    webStatement = credits.webStatement
    description = credits.description
    title = credits.title
    headline = credits.headline
    keywords = credits.keywords.isEmpty ? nil : credits.keywords
    people = credits.people.isEmpty ? nil : credits.people
    rating = credits.rating
  }
}

/// The line that `info --json` prints for an image.
private struct InfoLine: Encodable {
  struct Profile: Encodable {
    var name: String?
    var bytes: Int
  }
  var file: String
  var fileBase64: String?
  struct Map: Encodable {
    var kind: String
    /// The width and height as stored, in pixels.
    var width: Int
    var height: Int
  }

  /// The RAW file whose preview is the image.
  struct RAW: Encodable {
    var kind: String
    var camera: String?
    /// The width and height of the sensor's image as stored, in pixels.
    var sensorWidth: Int?
    var sensorHeight: Int?
  }

  var format: String
  var raw: RAW?
  var gainMap: Map?
  var bytes: Int
  /// The width and height of the image as displayed, in pixels.
  var width: Int
  var height: Int
  var storedWidth: Int
  var storedHeight: Int
  var orientation: Int
  var gray: Bool
  var transparency: Bool
  var bitsPerSample: Int
  var progressive: Bool
  var animated: Bool
  /// The frames of an animated GIF, WebP or PNG file; omitted for other images.
  var frames: Int?
  var exif: Bool
  var xmp: Bool
  var iptc: Bool
  var dpi: Double?
  var credits: CreditLines?
  /// The faces that the XMP packet marks.
  var regions: [RegionLine]?
  var profile: Profile?
  /// The upper bound for a crop, and that for `blur`.
  var memory: Int
  var memoryForBlur: Int
  var cost: Double

  init(_ input: EachInput.Name, _ info: ImageInfo) {
    file = input.text
    fileBase64 = input.base64
    format = info.format.rawValue
    raw = info.raw.map {
      RAW(
        kind: $0.kind.rawValue, camera: $0.camera, sensorWidth: $0.sensorSize?.width,
        sensorHeight: $0.sensorSize?.height)
    }
    gainMap = info.gainMap.map { Map(kind: $0.kind.rawValue, width: $0.size.width, height: $0.size.height) }
    bytes = info.fileBytes
    (width, height) = (info.size.width, info.size.height)
    (storedWidth, storedHeight) = (info.storedSize.width, info.storedSize.height)
    orientation = info.orientation.rawValue
    gray = info.isGray
    transparency = info.hasTransparency
    bitsPerSample = info.bitsPerSample
    progressive = info.isProgressive
    animated = info.isAnimated
    frames = info.frameCount > 1 ? info.frameCount : nil
    (exif, xmp, iptc) = (info.hasEXIF, info.hasXMP, info.hasIPTC)
    dpi = info.resolution
    let said = info.credits
    credits = said.isEmpty ? nil : CreditLines(said)
    regions = RegionLine.all(info.regions)
    profile = info.profile.map { Profile(name: $0.name, bytes: $0.bytes) }
    memory = info.memory
    memoryForBlur = info.memoryForHiding()
    cost = (info.cost * 1_000).rounded() / 1_000
  }
}

/// The text that `info` prints.
private enum InfoText {
  static func block(_ file: String, _ info: ImageInfo) -> String {
    var rows = [("format", format(info))]
    if let raw = info.raw { rows.append(("camera", camera(raw))) }
    rows += [
      ("size", size(info)), ("pixels", pixels(info)), ("profile", profile(info)),
      ("metadata", metadata(info)),
    ]
    if let map = info.gainMap {
      let kinds = [GainMap.Kind.ultraHDR: "Ultra HDR", .iso: "ISO 21496-1", .apple: "Apple"]
      rows.append(("gain map", "\(kinds[map.kind] ?? ""), \(map.size.width)x\(map.size.height)"))
    }
    if let credits = credits(info.credits) { rows.append(("credits", credits)) }
    if !info.regions.isEmpty {
      let names = info.regions.compactMap(\.name)
      let unnamed = info.regions.count - names.count
      let parts = names + (unnamed > 0 ? ["\(unnamed) without a name"] : [])
      rows.append(("people", parts.joined(separator: ", ")))
    }
    if let resolution = info.resolution { rows.append(("print", "\(whole(resolution)) dpi")) }
    rows += [
      ("file", bytes(info.fileBytes)),
      ("crop", "at most \(bytes(info.memory)) of memory, cost \(tenths(info.cost))"),
      ("blur", "at most \(bytes(info.memoryForHiding())) of memory"),
    ]
    return "\(DisplayText.text(file))\n" + rows.map { "  \($0.0.padded(to: 10))\(DisplayText.text($0.1))\n" }.joined()
  }

  private static func format(_ info: ImageInfo) -> String {
    let coding = info.isProgressive ? info.format == .png ? ", interlaced" : ", progressive" : ""
    let kind = info.raw.map { " (\($0.kind)), the largest JPEG in it" } ?? ""
    return info.format.name + kind + coding + animated(info)
  }

  private static func animated(_ info: ImageInfo) -> String {
    guard info.isAnimated else { return "" }
    return info.frameCount > 1 ? ", animated, \(info.frameCount) frames" : ", animated (the first frame is read)"
  }

  private static func camera(_ raw: RAWOrigin) -> String {
    let sensor = raw.sensorSize.map { ", sensor \($0.width)x\($0.height)" } ?? ""
    return (raw.camera ?? "not said") + sensor
  }

  private static func size(_ info: ImageInfo) -> String {
    let megapixels = Double(info.size.width) * Double(info.size.height) / 1e6
    let shown = "\(info.size.width)x\(info.size.height), \(tenths(megapixels)) MP"
    guard info.orientation != .up else { return shown }
    let stored = "stored as \(info.storedSize.width)x\(info.storedSize.height)"
    return "\(shown) (\(stored), orientation \(info.orientation.rawValue))"
  }

  private static func pixels(_ info: ImageInfo) -> String {
    let color = info.isGray ? "gray" : "color"
    let samples = info.bitsPerSample == 1 ? "1 bit a sample" : "\(info.bitsPerSample) bits a sample"
    return "\(color)\(info.hasTransparency ? " with transparency" : ""), \(samples)"
  }

  private static func profile(_ info: ImageInfo) -> String {
    guard let profile = info.profile else { return "none" }
    return "\(profile.name ?? "without a name"), \(bytes(profile.bytes))"
  }

  private static func metadata(_ info: ImageInfo) -> String {
    let found = [("EXIF", info.hasEXIF), ("IPTC", info.hasIPTC), ("XMP", info.hasXMP)].filter(\.1).map(\.0)
    return found.isEmpty ? "none" : found.joined(separator: ", ")
  }

  /// Returns the credits as text; nil for none.
  private static func credits(_ credits: Credits) -> String? {
    var parts = credits.creators.isEmpty ? [] : ["by \(credits.creators.joined(separator: ", "))"]
    parts += [
      credits.creditLine.map { "credit \($0)" }, credits.copyrightNotice, credits.usageTerms, credits.webStatement,
    ].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private static func bytes(_ count: Int) -> String {
    if count < 1 << 10 { return "\(count) bytes" }
    return count < 1 << 20 ? "\(tenths(Double(count) / 0x1p10)) KiB" : "\(tenths(Double(count) / 0x1p20)) MiB"
  }

  /// Returns the value without a zero fraction.
  private static func whole(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }

  private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
