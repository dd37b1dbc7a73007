import ArgumentParser

struct Facecrop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "facecrop",
    abstract: "Crop photos to the faces in them.",
    discussion: CommandConfiguration.examples(
      """
      facecrop avatar photo.jpg --size 512
          writes photo-avatar.jpg
      facecrop batch -r photos -d portraits --preset portrait --size 800
      """),
    version: Release.version,
    subcommands: [
      AvatarCommand.self, BatchCommand.self, BlurCommand.self, CheckCommand.self, CropCommand.self, DetectCommand.self,
      InfoCommand.self, SheetCommand.self,
    ])
}
