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
      """)

  @OptionGroup var options: CropOptions

  mutating func run() async throws {
    let defaults = CropDefaults(faces: .union, preset: nil, noFace: .whole, suffix: "crop")
    try await CropRun(options: options, defaults: defaults)()
  }
}
