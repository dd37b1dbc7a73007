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

struct AvatarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "avatar", "Crop an image to one head, in one size or several.", usage: "<input>",
    examples: """
      facecrop avatar upload.jpg --size 512
          writes upload-avatar.jpg
      facecrop avatar upload.jpg -o me.jpg --preset portrait --size 512,256
      """)

  @OptionGroup var options: CropOptions

  func validate() throws {
    try options.check(.avatar)
  }

  mutating func run() async throws {
    try await CropRun(options: options, defaults: .avatar)()
  }
}
