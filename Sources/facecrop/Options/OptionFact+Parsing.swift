import ArgumentParser

// The parser's declarations come from the catalog: names, helps, and checks of values.

extension OptionFact {
  /// Returns the row of a known option for a command; nil stands for that of this process.
  static func of(_ name: String, _ place: Places? = nil) -> OptionFact {
    guard let fact = named(name, for: place ?? GivenOptions.place) else { preconditionFailure("no option \(name)") }
    return fact
  }

  /// Whether this process prints the helps of options.
  private static let isHelpWanted = GivenOptions.launch.asksTheParser || GivenOptions.place == nil

  fileprivate var names: NameSpecification {
    short.map { [.customShort($0), .customLong(name)] } ?? .customLong(name)
  }

  fileprivate func help(showsDefault: Bool = true) -> ArgumentHelp {
    let place = GivenOptions.place ?? []
    let isHidden = isInternal || !place.isEmpty && places.isDisjoint(with: place)
    let isRare = GivenOptions.launch.asksForShortHelp && !isCommon(in: place)
    return ArgumentHelp(
      Self.isHelpWanted ? help(for: GivenOptions.place, showsDefault: showsDefault) : "", valueName: valueName,
      visibility: isHidden ? .private : isRare ? .hidden : .default)
  }

  fileprivate var completion: CompletionKind? {
    switch values {
    case .file, .stream: .file()
    case .folder: .directory
    default: nil
    }
  }

  /// Returns a value; throws a complete sentence about an invalid one.
  fileprivate func value<Value>(_ text: String, _ parse: (String) throws -> Value?) throws -> Value {
    if let fault = fault(text) { throw ValueFault(fault) }
    do {
      if let value = try parse(text) { return value }
    } catch let error as ValidationError {
      throw ValueFault(refusal(text, because: error.message))
    }
    throw ValueFault(refusal(text))
  }
}

/// A complete sentence about a value, which the parser puts behind words of its own.
struct ValueFault: Error, CustomStringConvertible {
  /// The sign before the sentence. ``DisplayText`` would replace it, so no other text of a message has it.
  private static let sign: Character = "\u{1F}"

  let description: String

  init(_ sentence: String) { description = "\(Self.sign)\(sentence.filter { $0 != Self.sign })" }

  /// Returns the sentence in a message of the parser, or else the message.
  static func sentence(in message: String) -> String {
    message.lastIndex(of: sign).map { String(message[message.index(after: $0)...]) } ?? message
  }
}

extension Option {
  init<T: ExpressibleByArgument>(_ fact: OptionFact) where Value == T? {
    if fact.choices.isEmpty {
      self.init(fact) { T(argument: $0) }
    } else {
      self.init(name: fact.names, help: fact.help(), completion: fact.completion)
    }
  }

  init(wrappedValue: Value, _ fact: OptionFact) where Value: ExpressibleByArgument {
    if fact.choices.isEmpty {
      self.init(wrappedValue: wrappedValue, fact) { Value(argument: $0) }
    } else {
      self.init(wrappedValue: wrappedValue, name: fact.names, help: fact.help(showsDefault: false))
    }
  }

  init<T>(_ fact: OptionFact, parse: @escaping @Sendable (String) throws -> T?) where Value == T? {
    self.init(
      name: fact.names, help: fact.help(), completion: fact.completion, transform: { try fact.value($0, parse) })
  }

  init(wrappedValue: Value, _ fact: OptionFact, parse: @escaping @Sendable (String) throws -> Value?) {
    self.init(
      wrappedValue: wrappedValue, name: fact.names, help: fact.help(), completion: fact.completion,
      transform: { try fact.value($0, parse) })
  }
}

extension Flag where Value == Bool {
  init(wrappedValue: Bool, _ fact: OptionFact) {
    if case .switched = fact.values {
      self.init(wrappedValue: wrappedValue, name: fact.names, inversion: .prefixedNo, help: fact.help())
    } else {
      self.init(wrappedValue: wrappedValue, name: fact.names, help: fact.help())
    }
  }
}
