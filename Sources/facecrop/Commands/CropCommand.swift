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

  @OptionGroup var cut: LosslessOption

  func validate() throws {
    try cut.check(options.wanted)
    _ = try cut.format(options.wanted.encoding.namedFormat(for: options.output))
    try options.check(.crop)
  }

  mutating func run() async throws {
    try await CropRun(options: options, defaults: .crop, isLossless: cut.lossless)()
  }
}
