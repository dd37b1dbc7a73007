import ArgumentParser

struct Facecrop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "facecrop",
    abstract: "Crops photographs to the faces in them.",
    discussion: """
      A fast look at low resolution finds the faces; then only the region around them is decoded at full quality. \
      Of a baseline JPEG that takes tens of megabytes of memory, whatever its size; facecrop info says what others take.

      Exit status: 0 all done; 1 an input failed; 2 no face and --no-face fail; 64 wrong usage; 130 interrupted.
      """,
    version: "0.1.0",
    subcommands: [
      AvatarCommand.self, BatchCommand.self, CheckCommand.self, CropCommand.self, DetectCommand.self, InfoCommand.self,
      SheetCommand.self,
    ])
}
