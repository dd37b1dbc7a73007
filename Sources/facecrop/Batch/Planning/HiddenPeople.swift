import ArgumentParser
import FaceCrop
import SystemPackage

/// The people of `--hide` or `--show`, in a list of names.
struct HiddenPeople: Sendable {
  private let list: NameList
  private let names: Set<String>
  private let areHidden: Bool

  /// Returns a name in the case in which names are compared.
  private static func key(_ name: String) -> String { name.isEmpty ? NameList.unnamed : name.lowercased() }

  /// Finds the people, in any case of letters; nil without them and a list. Throws if the list lacks one.
  init?(hide: String?, show: String?, in list: NameList?) throws(ValidationError) {
    let given = [hide, show].compactMap { $0?.lowercased() }
    guard given.count == (list == nil ? 0 : 1) else {
      throw ValidationError("--names goes with --hide or with --show, and each of these with --names (use two of them)")
    }
    guard let list, let text = given.first else { return nil }
    let known = Set(list.people.map(Self.key))
    // A name may have a comma.
    let texts = known.contains(text) ? [text[...]] : text.split(separator: text.contains(";") ? ";" : ",")
    (self.list, areHidden) = (list, hide != nil)
    names = Set(texts.map { String(String($0).unicodeScalars.trimmingSpace()) })
    guard let name = names.isEmpty ? "" : names.subtracting(known).min() else { return }
    let near = known.filter { $0.contains(name) }.min() ?? NearestWord.to(name, of: known.sorted(), within: 3)
    let hint = near.map { "did you mean '\($0)'?" } ?? "write a name of the list"
    throw ValidationError("--\(areHidden ? "hide" : "show"): '\(list.name)' has no '\(name)' (\(hint))")
  }

  /// Returns the request for an image. Throws if the list lacks a line for it alone, or has none of the people to hide in it.
  func request(_ blur: BlurRequest, for image: FilePath) throws(Outcome.Obstacle) -> BlurRequest {
    if let shared = list.shared[image] { throw shared }
    guard let persons = list.persons(of: image)?.map({ Self.key(String(decoding: $0, as: UTF8.self)) }) else {
      // Anybody may be in it, so it is not skipped like an image without the people.
      throw .failed("name", "'\(list.name)' has no line for it\(list.hint(for: image))", isTransient: true)
    }
    let numbers = Set(persons.indices.filter { names.contains(persons[$0]) }.map { $0 + 1 })
    if numbers.isEmpty, areHidden { throw .skipped("not-named", "'\(list.name)' names nobody to hide in the image") }
    var own = blur
    if !numbers.isEmpty { (own.faces, own.people) = (areHidden ? .only(numbers) : .except(numbers), persons.count) }
    return own
  }
}

extension BatchPlan {
  /// Chooses the faces to hide in each image without a plan, and skips images in which there is nobody to hide.
  mutating func hide(_ people: HiddenPeople, by blur: BlurRequest) {
    for index in items.indices where items[index].plan == nil && items[index].input.obstacle == nil {
      do throws(Outcome.Obstacle) {
        items[index].blur = try people.request(blur, for: items[index].input.path)
      } catch {
        items[index].input.obstacle = items[index].input.obstacleByBeginning ?? error
      }
    }
  }
}
