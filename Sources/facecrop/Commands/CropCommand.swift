import ArgumentParser

struct CropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crop",
    abstract: "Writes the region of the faces in a picture, at full resolution.",
    discussion: """
      EXAMPLES
        facecrop crop portrait.jpg
            writes portrait-crop.jpg
        facecrop crop group.jpg -o faces.jpg --faces each --padding 0.4
            writes faces-1.jpg, faces-2.jpg, each with a margin of 40 %
        facecrop crop - -o - --aspect 4:5 < upload.jpg > card.jpg
        facecrop crop portrait.jpg --lossless --padding 0.3
            cuts the region out of the JPEG file without encoding it again
      """)

  @OptionGroup var options: CropOptions

  @Flag(
    help: """
      Cut the region out of a JPEG file without encoding it again. It grows to the borders of JPEG's blocks, and it is said \
      by how much; colors, profile and EXIF orientation stay as they are.
      """)
  var lossless = false

  func validate() throws {
    guard lossless else { return }
    func refuse(_ option: String) throws {
      throw ValidationError("--lossless cuts a JPEG file as it is; leave out \(option).")
    }
    if !options.size.sides.isEmpty { try refuse("--size") }
    if options.width != nil || options.height != nil { try refuse("--width and --height") }
    if options.upscale { try refuse("--upscale") }
    if options.pad != nil || options.padColor != nil { try refuse("--pad and --pad-color") }
    if options.encoding.shape == .circle { try refuse("--shape circle") }
    if options.encoding.background != nil { try refuse("--background") }
    if let format = try options.encoding.namedFormat(for: options.output), format != .jpeg {
      throw ValidationError("--lossless writes JPEG, and the output is \(format.name).")
    }
  }

  mutating func run() async throws {
    let defaults = CropDefaults(faces: .union, preset: nil, noFace: .whole, suffix: "crop")
    try await CropRun(options: options, defaults: defaults, isLossless: lossless)()
  }
}
