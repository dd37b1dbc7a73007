import FaceCrop
import Synchronization
import SystemPackage

/// The choice of `--best-of` among the photos of one moment.
extension BatchRun {
  /// A photo with a capture time.
  private struct Photo {
    /// The index of its item in the plan.
    var index: Int
    /// The capture time in seconds since 1970.
    var time: Double
  }

  /// Returns the run in which only the best photo of each moment is cropped, and those that a person has corrected; nil
  /// if the run was stopped. Photos of a moment lie in one folder, show the same number of people, and follow each other
  /// within some seconds. The measurements in `earlier` entries count for unchanged files.
  func keepingBest(within seconds: Double, _ earlier: [FilePath: ManifestEntry]) async -> BatchRun? {
    let bursts = await bursts(within: seconds)
    var run = self
    let search = Fingerprint.search(request.search, page: choices.page)
    var first = self
    (first.request.search.findsMeshes, first.request.search.measuresFinely) = (true, true)
    first.plan.items = []
    for var item in bursts.joined().map({ plan.items[$0.index] }) {
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
    func shot(_ photo: Photo) -> ShotQuality? { run.shots[plan.items[photo.index].input.location]?.quality }
    let moments = bursts.flatMap { burst in
      Dictionary(grouping: burst, by: { shot($0)?.people ?? 0 }).filter { $0.key > 0 }.values
        .flatMap { Self.moments(of: $0, within: seconds) }
    }
    for moment in moments {
      let best = moment[ShotQuality.best(of: moment.compactMap(shot)) ?? 0].index
      let kept = plan.items[best].input.path
      for index in moment.map(\.index) where index != best && !plan.items[index].isCorrected {
        run.plan.items[index].input.obstacle = .skipped(
          "best-of", "'\(kept)' shows the same moment better (leave out --best-of to crop both)")
      }
    }
    return run
  }

  /// Returns the photos of a folder that follow each other within some seconds, without those that a person rejected.
  private func bursts(within seconds: Double) async -> [[Photo]] {
    var photos: [FilePath: [Photo]] = [:]
    for (index, item) in plan.items.enumerated() where item.input.obstacle == nil && !item.isRejected {
      // A pipe can be read only once, by the crop.
      guard !stop.isRequested, FileStatus(item.input.path)?.isRegular == true,
        let time = try? await cropper.info(of: .file(item.input.path).at(choices.page)).originalTime
      else { continue }
      photos[item.input.location.removingLastComponent(), default: []].append(Photo(index: index, time: time))
    }
    return photos.values.flatMap { Self.moments(of: $0, within: seconds) }
  }

  /// Returns the photos of each moment, ordered by times and then as inputs. A photo alone is no moment.
  private static func moments(of photos: [Photo], within seconds: Double) -> [[Photo]] {
    let millisecond = 0.001
    var moments: [[Photo]] = []
    for photo in photos.sorted(by: { ($0.time, $0.index) < ($1.time, $1.index) }) {
      if let last = moments.last?.last, photo.time - last.time < seconds + millisecond {
        moments[moments.count - 1].append(photo)
      } else {
        moments.append([photo])
      }
    }
    return moments.filter { $0.count > 1 }
  }
}

extension BatchPlan.Item {
  /// Whether a person made the plan.
  fileprivate var isCorrected: Bool { plan != nil && !isDetected }
  /// Whether a person rejected all outputs.
  fileprivate var isRejected: Bool { isCorrected && plan?.crops.isEmpty == true }
}
