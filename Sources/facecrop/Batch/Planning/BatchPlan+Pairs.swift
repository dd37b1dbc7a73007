import ArgumentParser
import FaceCrop
import SystemPackage

/// The choice among a camera's files of one shot, such as IMG_1.NEF, IMG_1.HEIC and IMG_1.JPG.
enum PairPolicy: String, CaseIterable, ExpressibleByArgument {
  /// Crops the JPEG file, or else the HEIC file, and skips the others.
  case jpeg
  /// Crops the RAW file by its embedded JPEG, or else the HEIC file.
  case raw
  /// All are; their outputs keep the inputs' extensions in their names.
  case both
}

extension BatchPlan {
  /// A kind of file that a camera writes of a shot, by its name alone.
  private enum CameraFile: String, CaseIterable {
    case jpeg, heic, raw

    /// Nil for other files.
    init?(_ path: FilePath) {
      guard let own = path.extension?.lowercased(),
        let kind = Self.allCases.first(where: { $0.extensions.contains(own) })
      else { return nil }
      self = kind
    }

    private var extensions: [String] {
      switch self {
      case .jpeg: ["jpg", "jpeg", "jpe"]
      case .heic: ["heic", "heif", "hif"]
      case .raw: ImageFormat.raw.fileExtensions
      }
    }

    /// The value of --pairs that crops it in any case.
    var policy: String { self == .heic ? "both" : rawValue }
    var title: String { "\(rawValue.uppercased()) file" }
  }

  /// Makes one photo of files that have one name but for the extension, and are of several kinds that cameras write together.
  mutating func settlePairs(by policy: PairPolicy) {
    var shots: [FilePath: [CameraFile: [Int]]] = [:]
    for (index, item) in items.enumerated() where item.input.obstacle == nil {
      guard let kind = CameraFile(item.input.path) else { continue }
      shots[item.input.path.withoutExtension, default: [:]][kind, default: []].append(index)
    }
    let ranks: [CameraFile] = policy == .raw ? [.raw, .heic, .jpeg] : [.jpeg, .heic, .raw]
    for files in shots.values where files.count > 1 {
      if policy == .both {
        for index in files.values.joined() { items[index].outputs.keepsExtension = true }
        continue
      }
      let chosen = ranks.first { files[$0] != nil }!
      let path = items[files[chosen]![0]].input.path
      for (kind, indices) in files where kind != chosen {
        for index in indices {
          items[index].input.obstacle = .skipped(
            "pair", "'\(path)' is cropped instead of its \(kind.title) (pass --pairs \(kind.policy) to crop this file)")
        }
      }
    }
  }
}
