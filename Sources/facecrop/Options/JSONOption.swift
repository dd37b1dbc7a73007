import ArgumentParser

/// The option for commands that print text or JSON.
struct JSONOption: ParsableArguments {
  @Flag(help: "Print one JSON object per line, for errors too.")
  var json = false
}
