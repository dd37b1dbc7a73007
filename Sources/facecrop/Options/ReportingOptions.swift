import ArgumentParser

/// The option for commands that print text or JSON.
struct JSONOption: ParsableArguments {
  @Flag(.of("json", .check)) var json = false
}
