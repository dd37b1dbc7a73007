import ArgumentParser
import FaceCrop

struct BatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "batch", "Crop folders of images, and record the result of each image.", usage: "<input> ... -d <folder>",
    examples: """
      facecrop batch -r photos -d portraits --preset portrait --size 800
      facecrop batch -r photos -d out --report out.html --reject-dir rejected
      """)

  @OptionGroup var options: BatchOptions

  func run() async throws {
    if options.pictureProcess { return await PictureProcess(options: options)() }
    try await StopRequest.watch { stop in
      if options.worker {
        try await Worker(options: options, stop: stop)()
      } else {
        try await BatchSession(options: options, stop: stop, paths: BatchSession.Paths(options))()
      }
    }
  }
}
