/// The reason why a request is invalid, as data: a program can name the field in its own words.
public struct InvalidRequest: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The property or argument at fault, as in Swift, such as `output.resolution`; nil if no single one is.
  public var field: String?
  /// Its value; nil if the value is too long or does not matter.
  public var value: String?
  /// The valid values with their unit, such as `1 to 100`; nil if the field does not go with another one.
  public var bound: String?
  /// The fault as an independent clause in English.
  public var problem: String
  /// The advice as a clause; nil if the problem says it.
  public var remedy: String?

  /// Creates the reason for a request whose parts do not go together.
  public init(_ problem: String, field: String? = nil, remedy: String? = nil) {
    (self.problem, self.field, self.remedy) = (problem, field, remedy)
  }

  /// Creates the reason for a field that must have another value.
  public init(_ field: String, mustBe bound: String, not value: String? = nil) {
    self.init("\(field) must be \(bound)\(value.map { ", not \($0)" } ?? "")", field: field)
    (self.bound, self.value) = (bound, value)
  }

  /// Throws ``FaceCropError/invalidRequest(_:)`` unless a field is valid.
  static func check(
    _ isValid: Bool, _ field: String, mustBe bound: @autoclosure () -> String, not value: String? = nil
  ) throws(FaceCropError) {
    guard isValid else { throw .invalidRequest(InvalidRequest(field, mustBe: bound(), not: value)) }
  }

  /// Creates a reason from the problem alone.
  public init(stringLiteral problem: String) { self.init(problem) }

  public var description: String { remedy.map { "\(problem) (\($0))" } ?? problem }
}
