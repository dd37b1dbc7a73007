internal import CJPEGShim

/// The method for an intact file with one Huffman-coded scan. One walk over it gives the overview and an index, and
/// only a region's bits are decoded.
final class IndexedJPEG {
  private let input: JPEGInput
  private var index: JPEGIndex?
  /// Whether the index is usable: not for files of another kind, nor after the walk found a fault.
  private var isUsable: Bool

  init(_ input: JPEGInput) {
    self.input = input
    isUsable = !input.header.hasSeveralScans
  }

  /// Returns the index. The parameters apply only to its creation.
  private func open(overviewScale: Int = 1, keepsCoefficients: Bool = false) throws(FaceCropError) -> JPEGIndex? {
    guard isUsable else { return nil }
    if index == nil {
      index = try unsafe JPEGIndex(
        reading: input.bytes.buffer, isFileMapping: input.bytes.isFileMapping, overviewScale: overviewScale,
        keepsCoefficients: keepsCoefficients, job: input.job)
    }
    isUsable = index?.isUsable ?? false
    return isUsable ? index : nil
  }

  private func noteRemarks(of index: JPEGIndex, includesLastRow: Bool) {
    if index.hasRemarks { input.note(.irregular) }
    let rows = input.header.size.height
    if index.lacksEndMarker, includesLastRow { input.note(.truncated(intactRows: rows, rows: rows, coarse: false)) }
  }

  /// Decodes the image at 1/8 or 2/8, or 4/8 with cached coefficients; nil without an index or the needed planes.
  func overview(
    scale: Int, format: PixelBuffer.Format, keepsCoefficients: Bool
  ) throws(FaceCropError) -> PixelBuffer? {
    guard let index = try open(overviewScale: scale, keepsCoefficients: keepsCoefficients), index.scale == scale,
      let count = input.planes(for: format, of: index.overviewPlanes),
      let overview = try index.overview(planes: count, format: format)
    else { return nil }
    noteRemarks(of: index, includesLastRow: true)
    return overview
  }

  /// Returns whether the index makes a region cheaper. It saves entropy decoding above and beside it, and costs a walk.
  func isWorthwhile(for rect: PixelRect, scale: Int) -> Bool {
    guard isUsable else { return false }
    if let index, index.keepsCoefficients { return true }
    let above = input.header.size.width * (rect.y + rect.height) * 8 / scale
    let region = rect.width * rect.height * 64 / (scale * scale)
    return above > 1_000_000 && region * 2 < above
  }

  /// Decodes a region; false after a fault, which the sequential method then judges.
  func decode(
    _ region: RegionRequest, format: PixelBuffer.Format, into sink: inout some RowSink
  ) throws(FaceCropError) -> Bool {
    guard let index = try open() else { return false }
    if index.keepsCoefficients { return try decode(region, of: index, format: format, into: &sink) }
    let (rect, scale, input, progress) = (region.rect, region.scale, input, region.progress)
    // The walk counts as half of the progress.
    func reportWalk(_ fraction: Double) {
      progress.report(Int(fraction * Double(rect.height)), of: 2 * rect.height)
    }
    let isDone: Bool? = try unsafe index.withCut(of: rect, scale: scale, progress: reportWalk) {
      (file, inner) throws(FaceCropError) in
      let decoder = try unsafe JPEGDecoder(reading: file, isFileMapping: false, job: input.job)
      try decoder.startRegion(inner, scale: scale, color: input.color(for: format))
      try input.read(decoder, rect.size, format, into: &sink) { rows in
        progress.report(rect.height + rows, of: 2 * rect.height)
      }
      return decoder.damage.kind == .none ? true : nil
    }
    guard isDone != nil else { return false }
    noteRemarks(of: index, includesLastRow: rect.y + rect.height == (input.header.size.height * scale + 7) / 8)
    return true
  }

  /// Decodes a region from cached coefficients. Libjpeg gets those of a few rows at a time.
  private func decode(
    _ region: RegionRequest, of index: JPEGIndex, format: PixelBuffer.Format, into sink: inout some RowSink
  ) throws(FaceCropError) -> Bool {
    let (rect, scale) = (region.rect, region.scale)
    let color = try input.color(for: format)
    let rows = Self.rowsAtOnce(width: rect.width, mcu: index.mcu.height, scale: scale)
    var done = 0
    while done < rect.height {
      // Each part ends at an MCU border.
      let height = min(rows - (rect.y + done) % (index.mcu.height * scale / 8), rect.height - done)
      let part = PixelRect(x: rect.x, y: rect.y + done, width: rect.width, height: height)
      guard let decoder = try index.decoder(of: part, scale: scale, color: color) else { return false }
      try input.read(decoder, part.size, format, first: done, into: &sink) { read in
        region.progress.report(done + read, of: rect.height)
      }
      done += height
    }
    return true
  }

  /// Returns the rows of a region, in whole MCUs, with about 1 MiB of coefficients: up to three of 2 bytes per
  /// full-size pixel.
  private static func rowsAtOnce(width: Int, mcu: Int, scale: Int) -> Int {
    let bytesPerMCU = 6 * (width * 8 / scale) * mcu
    return max((1 << 20) / bytesPerMCU, 2) * (mcu * scale / 8)
  }

  /// Cuts a part out of the file; nil after a fault.
  func cut(
    of rect: PixelRect, metadata: (_ size: PixelSize) -> CropMetadata, progress: (_ fraction: Double) -> Void
  ) throws(FaceCropError) -> (bytes: [UInt8], rect: PixelRect)? {
    guard let index = try open() else { return nil }
    let size = input.header.size
    let mcus = MCURect(covering: rect, mcu: index.mcu)
    let shown = mcus.pixels(mcu: index.mcu, in: size)
    let segments = try JPEGSegments.segments(of: metadata(shown.size), profile: input.header.profile)
    let bytes = try unsafe index.withCut(of: mcus, progress: progress) { (jpeg) throws(FaceCropError) in
      unsafe JPEGSegments.inserting(segments, into: jpeg, behind: JPEGSegments.jfif)
    }
    guard let bytes else { return nil }
    noteRemarks(of: index, includesLastRow: shown.y + shown.height == size.height)
    return (bytes, shown)
  }

  /// Returns the file with hidden areas; nil after a fault.
  func blur(
    _ areas: [HiddenArea], by mode: BlurMode, metadata: CropMetadata, progress: (_ fraction: Double) -> Void
  ) throws(FaceCropError) -> [UInt8]? {
    guard let index = try open() else { return nil }
    let job = input.job
    let segments = try JPEGSegments.segments(of: metadata, profile: input.header.profile)
    let bytes = try unsafe index.withEdited(
      progress: { progress($0 / 2) },
      edit: { (editor) throws(FaceCropError) in
        try editor.hide(areas, by: mode, job) { progress(0.5 + $0 / 2) }
      },
      { (jpeg) throws(FaceCropError) in
        unsafe JPEGSegments.inserting(segments, into: jpeg, behind: JPEGSegments.jfif)
      })
    guard let bytes else { return nil }
    noteRemarks(of: index, includesLastRow: true)
    return bytes
  }
}
