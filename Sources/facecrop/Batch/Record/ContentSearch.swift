import FaceCrop
import SystemPackage

/// The content of an input, which identifies it wherever it lies.
struct InputContent: Hashable, Sendable {
  /// The SHA-256 of its bytes in hexadecimal digits.
  var sha256: String
  /// The size of the file; nil if unknown.
  var bytes: Int?
}

/// A search for inputs with known contents. It reads only regular files whose size fits, each of them once.
struct ContentSearch {
  private let wanted: Set<String>
  /// The sizes of the files; nil if one of them is unknown.
  private let sizes: Set<Int>?
  private var digests: [FilePath: String?] = [:]

  init(_ contents: some Sequence<InputContent>) {
    let contents = Array(contents)
    wanted = Set(contents.map(\.sha256))
    let known = contents.compactMap(\.bytes)
    sizes = known.count == contents.count ? Set(known) : nil
  }

  /// Returns the SHA-256 of a file; nil if it is none of the known contents.
  mutating func digest(of path: FilePath) -> String? {
    if let known = digests[path] { return known }
    var digest: String?
    if !wanted.isEmpty, let status = FileStatus(path), status.isRegular, sizes?.contains(status.bytes) ?? true,
      let bytes = try? Input.readToEnd(of: path, atMost: .max)
    {
      let found = Hexadecimal.sha256(bytes)
      digest = wanted.contains(found) ? found : nil
    }
    digests.updateValue(digest, forKey: path)
    return digest
  }
}

/// The plans of a list, by their inputs' locations.
struct StoredPlans: Sendable {
  var plans: [FilePath: CropPlan] = [:]
  /// The contents of the inputs, as far as the list or a manifest has them.
  var contents: [FilePath: InputContent] = [:]
  /// The inputs in order of their first occurrence.
  var inputs: [FilePath] = []

  /// Gives each input without a plan the plan of a missing one with the same content. Returns the number of plans that
  /// fit no input.
  mutating func settle(_ inputs: [(location: FilePath, path: FilePath)]) -> Int {
    let locations = Set(inputs.map(\.location))
    let others = plans.keys.filter { !locations.contains($0) }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    var homeless: [String: (location: FilePath, plan: CropPlan)] = [:]
    for location in others {
      guard let content = contents[location], homeless[content.sha256] == nil else { continue }
      homeless[content.sha256] = (location, plans[location]!)
    }
    var search = ContentSearch(others.compactMap { contents[$0] })
    var placed: Set<FilePath> = []
    for input in inputs where plans[input.location] == nil {
      guard let digest = search.digest(of: input.path), let found = homeless[digest] else { continue }
      plans[input.location] = found.plan
      placed.insert(found.location)
    }
    return others.count - placed.count
  }
}
