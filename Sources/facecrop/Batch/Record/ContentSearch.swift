import FaceCrop
import SystemPackage

/// The content of an input, which identifies it wherever it lies.
struct InputContent: Hashable, Sendable {
  /// The identifier; see ``identifier(of:)``. Older versions, and other programs, use the SHA-256 of the file.
  var identifier: String
  /// The size of the file; nil if unknown.
  var bytes: Int?

  private static let prefix = "image:"

  /// Returns the identifier of a file: `image:` and the hash of its image data without metadata, so that keywords or a
  /// rating make no other image of it. For formats other than JPEG, PNG and WebP it is the SHA-256 of the file.
  static func identifier(of bytes: [UInt8]) -> String {
    ImageDataHash.text(of: bytes).map { prefix + $0 } ?? ContentHash(of: bytes).hexadecimal
  }

  /// Returns the identifier of a file in the form of another one.
  static func identifier(of bytes: [UInt8], like other: String) -> String {
    isOfImageData(other) ? identifier(of: bytes) : ContentHash(of: bytes).hexadecimal
  }

  static func isOfImageData(_ identifier: String) -> Bool { identifier.hasPrefix(prefix) }
}

/// A search for inputs with known contents. It reads only regular files whose size fits, each of them once. A file above
/// the limit for images has no plan.
struct ContentSearch {
  private let wanted: Set<String>
  /// One wanted identifier of each form.
  private let forms: [String]
  /// The sizes of the files; nil if one of them is unknown, or may change with the metadata.
  private let sizes: Set<Int>?
  private let largest: Int
  private var digests: [FilePath: String?] = [:]

  init(_ contents: some Sequence<InputContent>, limits: Limits) {
    largest = limits.fileBytes
    let contents = Array(contents)
    wanted = Set(contents.map(\.identifier))
    forms = Dictionary(grouping: wanted, by: InputContent.isOfImageData).values.compactMap(\.first)
    let known = contents.compactMap { InputContent.isOfImageData($0.identifier) ? nil : $0.bytes }
    sizes = known.count == contents.count ? Set(known) : nil
  }

  /// Returns the identifier of a file's content; nil if no plan has this content.
  mutating func digest(of path: FilePath) -> String? {
    if let known = digests[path] { return known }
    var digest: String?
    if !wanted.isEmpty, let status = FileStatus(path), status.isRegular, sizes?.contains(status.bytes) ?? true,
      status.bytes <= largest, let bytes = try? Input.readToEnd(of: path, atMost: largest)
    {
      digest = forms.lazy.map { InputContent.identifier(of: bytes, like: $0) }.first(where: wanted.contains)
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
  /// The identifiers of the plans that are as detection made them, so that nobody corrected them.
  var detected: Set<String> = []

  /// The location of an input, and its path.
  typealias Place = (location: FilePath, path: FilePath)

  /// The plans for images that were changed, or that have another name now.
  private var homeless: [(location: FilePath, plan: CropPlan)] = []

  /// Takes the plans away from inputs with other contents than the list says, and returns these inputs. `entries` are
  /// those of a manifest, which knows the contents of unchanged files.
  mutating func dropEdited(_ inputs: [Place], by entries: [FilePath: ManifestEntry] = [:], limits: Limits) -> [Place] {
    var search = ContentSearch(contents.values, limits: limits)
    var edited: [Place] = []
    for input in inputs {
      guard let content = contents[input.location], let plan = plans[input.location] else { continue }
      if let entry = entries[input.location], let file = entry.file, entry.content == content.identifier,
        FileStatus(input.path).map(FileVersion.init) == file
      {
        continue
      }
      // A missing file was not changed.
      guard FileStatus(input.path) != nil, search.digest(of: input.path) != content.identifier else { continue }
      plans[input.location] = nil
      homeless.append((input.location, plan))
      edited.append(input)
    }
    return edited
  }

  /// Names the changed inputs that have no plan now.
  func name(_ edited: [Place]) {
    for input in edited where plans[input.location] == nil {
      Console.say(
        "facecrop: \(input.path): warning: its plan is for another image, since the file was changed, and had no effect (correct the frame in a new report)"
      )
    }
  }

  /// Gives each input without a plan the plan of a missing or changed one with the same content. `entries` are those of
  /// a manifest, which tells equal images apart. Returns the number of plans for inputs that are not among these.
  mutating func settle(_ inputs: [Place], by entries: [FilePath: ManifestEntry] = [:], limits: Limits) -> Int {
    let locations = Set(inputs.map(\.location))
    let others = plans.keys.filter { !locations.contains($0) }
    homeless += others.map { ($0, plans[$0]!) }
    homeless.sort { $0.location.bytes.lexicographicallyPrecedes($1.location.bytes) }
    let former = homeless.map { place in
      KnownFile(
        location: place.location, version: entries[place.location]?.file, content: contents[place.location]?.identifier)
    }
    let plansOfFormer = Dictionary(homeless.map { ($0.location, $0.plan) }) { first, _ in first }
    let unplanned = entries.filter { !locations.contains($0.key) && plansOfFormer[$0.key] == nil }
      .map { KnownFile(location: $0.key, version: $0.value.file, content: $0.value.content) }
    var search = ContentSearch(homeless.compactMap { contents[$0.location] }, limits: limits)
    let files = inputs.compactMap { input -> KnownFile? in
      guard plans[input.location] == nil, let digest = search.digest(of: input.path) else { return nil }
      return KnownFile(location: input.location, version: FileStatus(input.path).map(FileVersion.init), content: digest)
    }
    func isKnown(_ file: KnownFile) -> Bool { entries[file.location]?.isResult(of: file.version) == true }
    let moved = MovedFiles.origins(of: files.filter { !isKnown($0) }, among: former + unplanned)
    // The list may have former names, but an image with a record of its own is not another one with a record.
    let taken = Set(moved.values)
    let renamed = MovedFiles.origins(
      of: files.filter(isKnown),
      among: former.filter { (entries[$0.location]?.isMoved ?? true) && !taken.contains($0.location) })
    // A new copy has the frame of the first, but a rejection may mean one of two equal files.
    let copied = Dictionary(
      homeless.filter { !$0.plan.crops.isEmpty }.map { (contents[$0.location]?.identifier ?? "", $0.location) }
    ) { first, _ in first }
    var placed: Set<FilePath> = []
    for file in files {
      let copy = isKnown(file) ? nil : copied[file.content ?? ""]
      guard let origin = moved[file.location] ?? renamed[file.location] ?? copy, let plan = plansOfFormer[origin] else {
        continue
      }
      plans[file.location] = plan
      placed.insert(origin)
    }
    return others.count { !placed.contains($0) }
  }
}
