import ArgumentParser

struct CropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "crop", "Crop an image to its faces, at full resolution.", usage: "<input>",
    examples: """
      facecrop crop group.jpg -o faces.jpg --faces each --padding 0.4
          writes faces-1.jpg, faces-2.jpg
      facecrop crop - -o - --aspect 4:5 < upload.jpg > card.jpg
      """)

  @OptionGroup var options: CropOptions

  @OptionGroup(title: HelpTitle.encoding) var cut: LosslessOption

  func validate() throws {
    try cut.check(options.wanted)
    _ = try cut.format(options.wanted.encoding.namedFormat(for: options.output))
    try options.check(.crop)
  }

  mutating func run() async throws {
    try await CropRun(options: options, defaults: .crop, isLossless: cut.lossless)()
  }
}
