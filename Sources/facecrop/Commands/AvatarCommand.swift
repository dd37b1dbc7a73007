import ArgumentParser

struct AvatarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "avatar",
    abstract: "Writes a picture of one head, square or as a preset says, in one size or several.",
    discussion: """
      EXAMPLES
        facecrop avatar upload.jpg --size 512
            writes upload-avatar.jpg: 512 pixels square, if the head has as many
        facecrop avatar upload.jpg -o me.jpg --size 512,256,128
            writes me-512.jpg, me-256.jpg, me-128.jpg from one look at the picture
        facecrop avatar upload.jpg --preset passport --print 35x45mm
        facecrop avatar upload.jpg --size 413 --max-bytes 30K --min-size 300
      """)

  @OptionGroup var options: CropOptions

  func validate() throws {
    try options.check(.avatar)
  }

  mutating func run() async throws {
    try await CropRun(options: options, defaults: .avatar)()
  }
}
