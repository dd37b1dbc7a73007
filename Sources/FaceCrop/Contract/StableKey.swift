/// A text that identifies a request in caches and batches: fields with stable names, and their values.
///
/// Use it to name cached files, as <doc:Caching> shows. Equal requests have equal texts, in every process and on every
/// machine. Combine it with ``AlgorithmRevision/current`` and ``version``, because the same request can give other
/// pixels in a later version.
///
/// The names are independent of those in the source code. Renaming a property therefore keeps every cache and every
/// batch, and a property without a field fails a test. The text of `CropRequest()` begins with
/// `search(faces(union)no-face(whole)smallest(-)order(left)`.
public struct StableKey {
  /// The version of the names and of the form. It rises if one of them changes its meaning.
  public static let version = 1

  /// The fields and their values.
  public private(set) var text = ""
  /// The number of fields of the outermost value, for tests.
  private(set) var fieldCount = 0
  private var depth = 0

  /// Creates the key of a value.
  public init(_ value: some StableKeyed) { value.write(to: &self) }

  /// Appends a field with a name and a value; nil differs from every value.
  public mutating func field(_ name: StaticString, _ value: (some StableKeyed)?) {
    if depth == 0 { fieldCount += 1 }
    depth += 1
    text += "\(name)("
    if let value { value.write(to: &self) } else { text += "-" }
    text += ")"
    depth -= 1
  }

  /// Appends the name of an enumeration's case.
  public mutating func append(case name: StaticString) { text += "\(name)" }

  fileprivate mutating func append(_ word: String) { text += word }
}

/// A value that writes all its properties to a ``StableKey``.
public protocol StableKeyed {
  /// Appends the fields of all properties, or the name of an enumeration's case.
  func write(to key: inout StableKey)
}

extension StableKeyed where Self: RawRepresentable<String> {
  /// Appends the raw value, which is public and therefore never renamed. It has no parentheses.
  public func write(to key: inout StableKey) { key.append(rawValue) }
}

extension Bool: StableKeyed {
  public func write(to key: inout StableKey) { key.append(self ? "yes" : "no") }
}

extension Int: StableKeyed {
  public func write(to key: inout StableKey) { key.append("\(self)") }
}

extension Double: StableKeyed {
  /// Writes the shortest digits that read back as this number. Both zeros are equal.
  public func write(to key: inout StableKey) { key.append(self == 0 ? "0.0" : "\(self)") }
}

extension String: StableKeyed {
  /// Writes the length before the text, so that no text can look like a field.
  public func write(to key: inout StableKey) { key.append("\(utf8.count):\(self)") }
}

extension Array: StableKeyed where Element: StableKeyed {
  public func write(to key: inout StableKey) {
    for element in self { key.field("", element) }
  }
}
