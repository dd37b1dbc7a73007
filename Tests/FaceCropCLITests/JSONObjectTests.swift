import Testing

@testable import FaceCropCLI

/// Objects that are only written.
struct JSONObjectTests {
  @Test func membersWithoutAValueAreLeftOut() {
    let (name, width): (String?, Int?) = (nil, 3)
    let object: JSONObject = ["name": name, "width": width, "sizes": [1, 2], "inner": ["depth": 1] as JSONObject]
    #expect(JSONLines.safeLine(object) == #"{"inner":{"depth":1},"sizes":[1,2],"width":3}"# + "\n")
  }

  /// A value that nobody knows is null, and not left out.
  @Test func unknownValuesAreNull() {
    let passes: Bool? = nil
    #expect(JSONLines.safeLine(["passes": .some(passes)] as JSONObject) == "{\"passes\":null}\n")
  }

  @Test func anObjectHasTheMembersOfAnotherValue() {
    struct Size: Encodable, Sendable { var width = 3 }
    let object: JSONObject = ["name": "a"]
    #expect(JSONLines.safeLine(object.with(membersOf: Size())) == #"{"name":"a","width":3}"# + "\n")
  }
}
