#if HEIF
  extension HEIFSession {
    func gainMap() throws(FaceCropError) -> GainMapSource? {
      guard let primary = file.items.primary, let found = try HEIFGainMap(of: primary, in: file, job) else {
        return nil
      }
      // The map multiplies the standard range. A picture rolled off from HDR is another one.
      guard !file.isOfHighRange(picture) else { throw .unsupported("the gain map is of an HDR image") }
      let map = try HEIFSession(file, found.item, format: format, allowsDamage: false, job: job)
      guard
        let metadata = try GainMap.Metadata(
          packet: map.header.credits.xmp, iso: found.iso, isApples: found.isApples,
          headroom: header.exif.flatMap { AppleHeadroom.factor(in: $0, job) }, job)
      else { throw .unsupported("the gain map's description is unknown") }
      guard !map.header.hasAlpha, map.header.size.area <= 4 * header.size.area else {
        throw .corrupt("the gain map has transparency, or is far larger than the image")
      }
      // A map without an orientation of its own has its picture's.
      guard [header.orientation, .up].contains(map.header.orientation) else {
        throw .corrupt("the gain map is turned in another way than the image")
      }
      let pixels = header.size.bytes(channels: 1).addingClamped(map.header.size.bytes(channels: 1))
      try job.limits.check(.pixels, pixels)
      try job.limits.check(decodedPixels: decodedPixels().addingClamped(map.decodedPixels()), fileBytes: file.count)
      try map.checkMemory()
      return GainMapSource(metadata: metadata, session: map)
    }
  }

  /// The item that is a picture's gain map.
  private struct HEIFGainMap {
    let item: Int
    /// The metadata of ISO 21496-1; nil for one of Apple's.
    let iso: [UInt8]?
    var isApples: Bool { iso == nil }

    private static let mostBytes = 1_024

    /// Looks for an item that is derived from the picture and a map (`tmap`; ISO 21496-1:2025, ISO/IEC 23008-12), then for Apple's
    /// auxiliary image.
    ///
    /// - Returns: nil without either.
    init?(of primary: Int, in file: HEIFFile, _ job: Job) throws(FaceCropError) {
      for derived in file.items.toneMaps {
        try job.step()
        let inputs = file.items.items("dimg", from: derived)
        guard inputs.count == 2, inputs[0] == primary else { continue }
        guard let location = file.items.locations[derived] else {
          throw .corrupt("the gain map's description is missing")
        }
        // Behind a version of the item's own.
        let data = try file.data(location, most: Self.mostBytes).bytes
        guard data.first == 0 else { throw .unsupported("the gain map's version is unknown") }
        (item, iso) = (inputs[1], Array(data.dropFirst()))
        return
      }
      for auxiliary in file.items.items("auxl", to: primary) {
        try job.step()
        guard file.items.isAuxiliary(auxiliary, [GainMap.Metadata.appleType]) else { continue }
        (item, iso) = (auxiliary, nil)
        return
      }
      return nil
    }
  }

  extension HEIFFile {
    /// Whether a picture is coded by PQ or HLG.
    fileprivate func isOfHighRange(_ picture: HEIFPicture) -> Bool {
      let (pq, hlg) = (16, 18)
      for item in [picture.item] + items.items("dimg", from: picture.item).prefix(1) {
        guard var box = items.colorBox("nclx", of: item)?.content, (try? box.number(6)) != nil,
          let transfer = try? box.number(2)
        else { continue }
        return transfer == pq || transfer == hlg
      }
      return false
    }
  }
#endif
