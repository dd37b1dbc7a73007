import ArgumentParser
import FaceCrop
import SystemPackage

struct BatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Crops folders of pictures, unattended, and records what became of each.",
    usage: "facecrop batch [<options>] <input> ... -d <folder>",
    discussion: """
      Each input ends as cropped, no-face, failed or skipped, with a reason, in the manifest; one that fails stops no other. \
      Started again, a run goes on where it ended. A first Ctrl-C lets the running pictures end, a second one does not.

      EXAMPLES
        facecrop batch -r photos -d portraits --preset portrait --size 800
        find . -name '*.jpg' -print0 | facecrop batch --from-list - --base . -d out
        facecrop batch -r photos -d out --report out.html --reject-dir none
        facecrop batch -r photos --dry-run --plan-out plans.ndjson
            looks only; then, perhaps edited, elsewhere:
        facecrop batch --plan-in plans.ndjson -d out

      Exit status: 0 all done; 1 an input failed; 2 none failed, but one has no face and --no-face is fail; 64 wrong usage; \
      130 interrupted.
      """)

  @OptionGroup var options: BatchOptions

  mutating func run() async throws {
    let options = options
    if options.pictureProcess { return await PictureProcess(options: options)() }
    try await StopRequest.watch { stop in
      if options.worker {
        try await Worker(options: options, stop: stop)()
      } else {
        try await BatchSession(options: options, stop: stop)()
      }
    }
  }
}
