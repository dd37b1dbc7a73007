import ArgumentParser

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
