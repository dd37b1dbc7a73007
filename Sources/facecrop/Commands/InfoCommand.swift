import ArgumentParser
import FaceCrop

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "info", "Print the format, size and crop cost of images, from their headers.", usage: "<input> ...",
    examples: """
      facecrop info photo.jpg
      facecrop info --json photos/*.jpg > info.ndjson
      """)

  @Argument(help: ArgumentHelp("Image files; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: HelpTitle.input) var page: PageOption
  @OptionGroup(title: HelpTitle.limits) var limits: LimitOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: JSONOption

  func run() async throws {
    let cropper = FaceCropper(limits: limits.limits)
    let each = EachInput(page: page.page, limits: limits.limits, json: reporting.json)
    try await each { input, source, _ in
      let info = try await cropper.info(of: source)
      for warning in info.warnings { each.reporter.warn(input.text, warning) }
      return reporting.json ? JSONLines.safeLine(JSONObject(input, info)) : InfoText.block(input.text, info)
    }
  }
}

extension JSONObject {
  /// Creates the credits of an image in `info --json`.
  private init(_ credits: Credits) {
    func unlessEmpty(_ texts: [String]) -> [String]? { texts.isEmpty ? nil : texts }
    self = [
      "creators": unlessEmpty(credits.creators), "credit": credits.creditLine, "copyright": credits.copyrightNotice,
      "rights": credits.usageTerms, "webStatement": credits.webStatement, "description": credits.description,
      "title": credits.title, "headline": credits.headline, "keywords": unlessEmpty(credits.keywords),
      "people": unlessEmpty(credits.people), "rating": credits.rating,
    ]
  }

  /// Creates the RAW file whose preview is the image.
  private init(_ raw: RAWOrigin) {
    self = [
      "kind": raw.kind.rawValue, "camera": raw.camera, "sensorWidth": raw.sensorSize?.width,
      "sensorHeight": raw.sensorSize?.height,
    ]
  }

  /// Creates the line that `info --json` prints for an image. Sizes are those of the image as displayed.
  fileprivate init(_ input: Input.Name, _ info: ImageInfo) {
    self = [
      "file": input.text, "fileBase64": input.base64, "format": info.format.rawValue,
      "raw": info.raw.map { JSONObject($0) },
      "gainMap": info.gainMap.map {
        ["kind": $0.kind.rawValue, "width": $0.size.width, "height": $0.size.height] as JSONObject
      },
      "bytes": info.fileBytes, "width": info.size.width, "height": info.size.height,
      "storedWidth": info.storedSize.width, "storedHeight": info.storedSize.height,
      "orientation": info.orientation.rawValue, "gray": info.isGray, "transparency": info.hasTransparency,
      "bitsPerSample": info.bitsPerSample, "progressive": info.isProgressive, "animated": info.isAnimated,
      "frames": info.frameCount > 1 ? info.frameCount : nil,
      "pages": info.pageCount > 1 ? info.pageCount : nil,
      "exif": info.hasEXIF, "xmp": info.hasXMP, "iptc": info.hasIPTC, "dpi": info.resolution,
      "credits": info.credits.isEmpty ? nil : JSONObject(info.credits),
      "regions": RegionLine.all(info.regions),
      "profile": info.profile.map {
        ["name": $0.name, "bytes": $0.bytes, "byEXIF": $0.isByEXIF ? true : nil] as JSONObject
      },
      // The upper bound for a crop, and that for `blur`.
      "memory": info.memory, "memoryForBlur": info.memory(for: BlurRequest()),
      "cost": (info.cost * 1_000).rounded() / 1_000,
    ]
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
      ("blur", "at most \(bytes(info.memory(for: BlurRequest()))) of memory"),
    ]
    return "\(DisplayText.text(file))\n" + rows.map { "  \($0.0.padded(to: 10))\(DisplayText.text($0.1))\n" }.joined()
  }

  private static func format(_ info: ImageInfo) -> String {
    let coding = info.isProgressive ? info.format == .png ? ", interlaced" : ", progressive" : ""
    let kind = info.raw.map { " (\($0.kind)), the largest JPEG in it" } ?? ""
    let frames = info.isAnimated ? ", animated, \(DisplayText.count(info.frameCount, "frame"))" : ""
    return info.format.name + kind + coding + (info.pageCount > 1 ? ", \(info.pageCount) pages" : "") + frames
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
    return "\(profile.name ?? "without a name"), \(profile.isByEXIF ? "by EXIF data" : bytes(profile.bytes))"
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
