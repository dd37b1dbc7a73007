import ArgumentParser
import FaceCrop
import SystemPackage

/// The treatment of a camera's two files of one photo, such as IMG_1.NEF and IMG_1.JPG.
enum PairPolicy: String, CaseIterable, ExpressibleByArgument {
  /// Crops the JPEG, and skips the RAW file.
  case jpeg
  /// Crops the RAW file, by its embedded JPEG.
  case raw
  /// Crops both. Their outputs keep the inputs' extensions in their names.
  case both
}

extension BatchPlan {
  /// Applies the policy to RAW files and photos whose names differ only in the extension.
  mutating func settlePairs(by policy: PairPolicy) {
    var photographs: [FilePath: [Int]] = [:]
    for (index, item) in items.enumerated() where item.input.obstacle == nil && item.input.path.isNamedLikePhotograph {
      photographs[item.input.path.withoutExtension, default: []].append(index)
    }
    guard !photographs.isEmpty else { return }
    for index in items.indices where items[index].input.obstacle == nil && items[index].input.path.isNamedLikeRAW {
      let path = items[index].input.path
      guard let pair = photographs[path.withoutExtension], let first = pair.first else { continue }
      switch policy {
      case .jpeg:
        items[index].input.obstacle = .skipped(
          "pair",
          "'\(items[first].input.path)' is cropped instead of its RAW file (pass --pairs raw to crop the RAW file)")
      case .raw:
        for other in pair {
          items[other].input.obstacle = .skipped(
            "pair", "the RAW file '\(path)' is cropped instead (pass --pairs jpeg to crop the camera's image)")
        }
      case .both: for index in pair + [index] { items[index].outputs.keepsExtension = true }
      }
    }
  }
}

extension FilePath {
  /// Whether the extension is one of the formats that cameras develop.
  fileprivate var isNamedLikePhotograph: Bool {
    self.extension.map { ["jpg", "jpeg", "jpe", "heic", "heif", "hif"].contains($0.lowercased()) } ?? false
  }

  fileprivate var isNamedLikeRAW: Bool {
    self.extension.map { ImageFormat.raw.fileExtensions.contains($0.lowercased()) } ?? false
  }

  fileprivate var withoutExtension: FilePath {
    var path = self
    path.extension = nil
    return path
  }
}
