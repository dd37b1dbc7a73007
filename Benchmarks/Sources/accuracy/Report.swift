import FaceCrop

/// The figures as tables.
struct Report {
  let pictures: [AnnotatedPicture]
  /// The baseline first.
  let runs: [DetectorRun]
  let seed: UInt64

  var markdown: String {
    let asked = pictures.map(\.asked.count).reduce(0, +)
    let faceless = pictures.count(where: \.isFaceless)
    return """
      The set has \(pictures.count) images with \(asked) faces that count, and \(faceless) images have no face.
      `plain` is OpenCV's detectMultiScale, the cascade frontalface_alt2 at factor 1.1 and 3 neighbors.
      Time is the processor time of detection alone, on one thread, per image. Ratios are to `plain`.

      \(overall.markdown)
      \(unread)## Two halves

      The halves are random, with seed \(seed).

      \(halves.markdown)
      ## By origin

      \(groups.markdown)
      ## Failures

      Missed faces by their height, as a share of the image's shorter side.

      \(failures.markdown)
      """
  }

  private var overall: Table {
    var table = Table(
      "detector", "recall", "precision", "F1", "faceless with a face", "median, ms", "ratio", "mean, ms", "ratio",
      "avatars well framed")
    let baseline = Times(runs[0])
    table.rows = runs.map { run in
      let times = Times(run)
      let score = Score(run.looks)
      return [run.detector] + figures(score) + [
        (times.median * 1e3).fixed(1), (times.median / baseline.median).fixed(3),
        (times.mean * 1e3).fixed(1), (times.mean / baseline.mean).fixed(3), score.framing.fixed(4),
      ]
    }
    return table
  }

  private var halves: Table {
    let halves = Halves(of: pictures.map(\.file), seed: seed)
    return table(of: [("first", { halves.first.contains($0.file) }), ("second", { halves.second.contains($0.file) })])
  }

  /// The results by origin; origins with few images share a row.
  private var groups: Table {
    let sizes = Dictionary(grouping: pictures, by: \.group).mapValues(\.count)
    let large = sizes.filter { $0.key != "" && $0.value >= 20 }.keys.sorted()
    var parts: [(name: String, includes: (AnnotatedPicture) -> Bool)] = large.map { name in
      (name, { $0.group == name })
    }
    if large.count < sizes.count { parts.append(("others", { !large.contains($0.group) })) }
    return table(of: parts)
  }

  private func table(of parts: [(name: String, includes: (AnnotatedPicture) -> Bool)]) -> Table {
    var table = Table(
      "images", "number", "detector", "recall", "precision", "F1", "faceless with a face")
    table.rows = parts.flatMap { part in
      let number = pictures.count(where: part.includes)
      return runs.map { run in
        [part.name, "\(number)", run.detector] + figures(Score(run.looks.filter { part.includes($0.picture) }))
      }
    }
    return table
  }

  private func figures(_ score: Score) -> [String] {
    [score.recall, score.precision, score.f1].map { $0.fixed(4) }
      + [score.faceless > 0 ? "\(score.facelessWithFace) of \(score.faceless)" : "–"]
  }

  private var failures: Table {
    let classes: [(name: String, heights: Range<Double>)] = [
      ("5–8 %", 0..<0.08), ("8–15 %", 0.08..<0.15), ("over 15 %", 0.15 ..< .infinity),
    ]
    var table = Table(
      "detector", classes[0].name, classes[1].name, classes[2].name, "in unread images", "false detections",
      "of these in faceless images")
    table.rows = runs.map { run in
      let read = run.looks.compactMap { look in look.comparison.map { (picture: look.picture, comparison: $0) } }
      let missed = classes.map { part in
        func count(_ boxes: (AnnotatedPicture, Comparison) -> [NormalizedRect]) -> Int {
          read.map { look in
            boxes(look.picture, look.comparison).count { part.heights.contains(look.picture.relativeHeight(of: $0)) }
          }.reduce(0, +)
        }
        return "\(count { $1.missed }) of \(count { picture, _ in picture.asked })"
      }
      let unread = run.looks.filter { $0.comparison == nil }.map(\.picture.asked.count).reduce(0, +)
      let falseHits = read.map(\.comparison.falseHits.count).reduce(0, +)
      let inFaceless = read.filter(\.picture.isFaceless).map(\.comparison.falseHits.count).reduce(0, +)
      return [run.detector] + missed + ["\(unread)", "\(falseHits)", "\(inFaceless)"]
    }
    return table
  }

  /// The images that could not be read.
  private var unread: String {
    let lines = pictures.indices.compactMap { index in
      runs.lazy.compactMap { $0.looks[index].failure }.first.map { "- \(pictures[index].file) \($0)\n" }
    }
    return lines.isEmpty ? "" : "Unread images, whose faces count as missed:\n\n\(lines.joined())\n"
  }

  /// All missed faces and false detections, in pixels of the image.
  var faults: String {
    let lines = runs.flatMap { run in
      run.looks.flatMap { look in
        func line(_ fault: String, _ box: NormalizedRect) -> String {
          let rect = PixelRect(covering: box, in: look.picture.size)
          let height = (look.picture.relativeHeight(of: box) * 100).fixed(1)
          return "- \(run.detector) \(fault) \(look.picture.file): "
            + "\(rect.width)x\(rect.height)+\(rect.x)+\(rect.y), height \(height) %"
        }
        let missed = look.comparison?.missed ?? []
        let falseHits = look.comparison?.falseHits ?? []
        return missed.map { line("missed", $0) }
          + falseHits.map { line("false", $0.box) + ", score \($0.score.fixed(3))" }
      }
    }
    return "## Faults\n\n" + lines.joined(separator: "\n")
  }
}

/// Seconds of detection; not numbers without a detection.
private struct Times {
  let median: Double
  let mean: Double

  init(_ run: DetectorRun) {
    let times = run.looks.compactMap(\.time).sorted()
    median = times.isEmpty ? .nan : times[times.count / 2]
    mean = times.reduce(0, +) / Double(times.count)
  }
}
