import FaceCrop
import Synchronization
import SystemPackage

/// The choice of `--best-of` among the photos of one moment.
extension BatchRun {
  /// Returns the run with the photos of each moment ranked; nil if the run was stopped. Photos of a moment lie in one
  /// folder, show the same number of people, and follow each other within some seconds. The measurements in `earlier`
  /// entries count for unchanged files.
  func rankingShots(within seconds: Double, _ earlier: [FilePath: ManifestEntry]) async -> BatchRun? {
    let bursts = plan.bursts(within: seconds)
    var run = self
    let search = Fingerprint.search(request.search, page: choices.page)
    var first = self
    (first.request.search.findsMeshes, first.request.search.measuresFinely) = (true, true)
    first.plan.items = []
    for var item in bursts.joined().map({ plan.items[$0] }) {
      let entry = earlier[item.input.location]
      if let shot = entry?.shot, shot.search == search, entry?.isOfThisRevision == true,
        entry?.file == FileVersion(item.input.path)
      {
        run.shots[item.input.location] = shot
      } else {
        item.plan = nil
        first.plan.items.append(item)
      }
    }
    let found = Mutex<[FilePath: ManifestEntry.Shot]>([:])
    await first.look { item, plan in
      let faces = Set(plan.crops.flatMap(\.faces)).sorted().map { plan.faces[$0] }
      let quality = ShotQuality(of: faces, in: plan.source, seenAt: ShotQuality.side)
      found.withLock { $0[item.input.location] = ManifestEntry.Shot(quality: quality, search: search) }
    }
    guard !stop.isRequested else { return nil }
    run.shots.merge(found.withLock { $0 }) { $1 }
    func shot(_ index: Int) -> ShotQuality? { run.shots[plan.items[index].input.location]?.quality }
    let moments = bursts.flatMap { burst in
      Dictionary(grouping: burst, by: { shot($0)?.people ?? 0 }).filter { $0.key > 0 }.values
        .flatMap { plan.moments(of: $0, within: seconds) }
    }
    run.plan.note(
      moments.map { moment in
        var (rest, ranked) = (moment, [Int]())
        while let best = ShotQuality.best(of: rest.compactMap(shot)) { ranked.append(rest.remove(at: best)) }
        return ranked
      })
    return run
  }

  /// Crops the images, and of each moment the best photo that does not fail. The others are skipped at the end.
  func cropBest() async {
    let lost = Mutex<Set<FilePath>>([])
    var run = self
    run.noteStatus = { location, status in
      if status == .failed || status == .skipped { lost.withLock { _ = $0.insert(location) } }
    }
    var moments = Dictionary(grouping: plan.items.filter { $0.moment != nil }, by: { $0.moment! }).values
      .map { $0.sorted { $0.rank < $1.rank } }
    run.plan.items.removeAll(where: \.isSpare)
    await run()
    while !moments.isEmpty {
      run.plan.items = []
      let lost = lost.withLock { $0 }
      for index in moments.indices {
        let kept = moments[index].first { !$0.isSpare && !lost.contains($0.input.location) }?.input.path
        for place in moments[index].indices where moments[index][place].isSpare {
          moments[index][place].isSpare = false
          if let kept {
            moments[index][place].input.obstacle = .skipped(
              "best-of", "'\(kept)' shows the same moment better (leave out --best-of to crop both)")
          }
          run.plan.items.append(moments[index][place])
          if kept == nil { break }
        }
      }
      moments.removeAll { !$0.contains(where: \.isSpare) }
      await run()
    }
  }
}

extension BatchPlan {
  /// Reads the times of all photos, and notes those that may show one moment.
  mutating func noteBursts(within seconds: Double, page: Int?, by cropper: FaceCropper, _ stop: StopRequest) async {
    for index in items.indices where items[index].input.obstacle == nil {
      // A pipe can be read only once, by the crop.
      guard !stop.isRequested, FileStatus(items[index].input.path)?.isRegular == true else { continue }
      items[index].time = try? await cropper.info(of: .file(items[index].input.path).at(page)).originalTime
    }
    note(bursts(within: seconds), areRanked: false)
  }

  /// Notes the photos of each moment, best first. A corrected photo is always cropped.
  mutating func note(_ moments: [[Int]], areRanked: Bool = true) {
    for index in items.indices { (items[index].moment, items[index].isSpare) = (nil, false) }
    for (moment, photos) in moments.enumerated() {
      for (rank, index) in photos.enumerated() {
        (items[index].moment, items[index].rank) = (moment, rank)
        items[index].isSpare = !items[index].isCorrected && !(areRanked && rank == 0)
      }
    }
  }

  /// Returns the photos of a folder that follow each other within some seconds, without those that a person rejected.
  func bursts(within seconds: Double) -> [[Int]] {
    let photos = items.indices.filter { items[$0].time != nil && items[$0].claimsNames }
    return Dictionary(grouping: photos) { items[$0].input.location.removingLastComponent() }.values
      .flatMap { moments(of: $0, within: seconds) }
  }

  /// Returns the photos of each moment, ordered by times and then as inputs. A photo alone is no moment.
  func moments(of photos: [Int], within seconds: Double) -> [[Int]] {
    let millisecond = 0.001
    var moments: [[Int]] = []
    for (time, index) in photos.map({ (items[$0].time!, $0) }).sorted(by: <) {
      if let last = moments.last?.last, time - items[last].time! < seconds + millisecond {
        moments[moments.count - 1].append(index)
      } else {
        moments.append([index])
      }
    }
    return moments.filter { $0.count > 1 }
  }
}
