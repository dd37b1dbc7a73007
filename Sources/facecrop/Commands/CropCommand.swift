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
    if !options.wanted.size.sides.isEmpty { try refuse("--size") }
    if options.wanted.width != nil || options.wanted.height != nil { try refuse("--width and --height") }
    if options.wanted.upscale { try refuse("--upscale") }
    if options.wanted.align { try refuse("--align") }
    if options.wanted.pad != nil || options.wanted.padColor != nil { try refuse("--pad and --pad-color") }
    if options.wanted.encoding.progressive { try refuse("--progressive") }
    if options.wanted.encoding.subsampling != .auto { try refuse("--subsampling") }
    if options.wanted.encoding.shape == .circle { try refuse("--shape circle") }
    if options.wanted.encoding.background != nil { try refuse("--background") }
    if let format = try options.wanted.encoding.namedFormat(for: options.output), format != .jpeg {
      throw ValidationError("--lossless writes JPEG, and the output is \(format.name).")
    }
  }

  mutating func run() async throws {
    let defaults = CropDefaults(faces: .union, preset: nil, noFace: .whole, suffix: "crop")
    try await CropRun(options: options, defaults: defaults, isLossless: lossless)()
  }
}
