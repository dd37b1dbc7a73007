/// The reason why a fixture could not be made or read; usually libjpeg's message.
public struct FixtureError: Error, Equatable, CustomStringConvertible {
  public let message: String

  public init(_ message: String) {
    self.message = message
  }

  public var description: String { message }
}
