import ArgumentParser

struct ProgressOption: ParsableArguments {
  @Option(help: "Show progress on standard error; auto is a bar on a terminal.")
  var progress = ProgressChoice.auto
}
