import ArgumentParser
import FaceCrop
import SystemPackage

/// What becomes of a camera's two files of one picture, IMG_1.NEF and IMG_1.JPG.
enum PairPolicy: String, CaseIterable, ExpressibleByArgument {
  /// The JPEG is cropped, and the RAW file passed over.
  case jpeg
  /// The RAW file is, by the JPEG in it.
  case raw
  /// Both are; their outputs keep the inputs' extensions in their names.
  case both
}

extension BatchPlan {
  /// Makes one picture of a RAW file and a photograph beside it that has its name but for the extension, by their names alone.
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
  /// As cameras name what they develop themselves.
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
