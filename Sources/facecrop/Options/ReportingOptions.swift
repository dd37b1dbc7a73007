import ArgumentParser

/// The option for commands that print text or JSON.
struct JSONOption: ParsableArguments {
  @Flag(help: "Print one JSON object per line, for errors too.")
  var json = false
}

struct ProgressOption: ParsableArguments {
  @Option(help: "Show progress on standard error; auto is a bar on a terminal.")
  var progress = ProgressChoice.auto
}
