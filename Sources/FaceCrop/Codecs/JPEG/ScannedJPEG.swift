internal import CJPEGShim

/// The way of a file of several scans: it is read once, and its coefficients gather in one decompressor, which gives the overview
/// as soon as it has enough of them, then any number of regions.
final class ScannedJPEG {
  private let input: JPEGInput
  /// The coefficients for regions at full size.
  private var scans: Scans?
  private let byLibjpeg: Bool

  /// - Parameter byLibjpeg: whether libjpeg reads all scans; for tests.
  init(_ input: JPEGInput, byLibjpeg: Bool) {
    self.input = input
    self.byLibjpeg = byLibjpeg
  }

  /// A decompressor that gathers coefficients, and how far it is.
  private final class Scans {
    let scale: Int
    let color: FCJPEGColor
    var decoder: JPEGDecoder
    var isComplete = false

    init(_ decoder: JPEGDecoder, scale: Int, color: FCJPEGColor, byLibjpeg: Bool) throws(FaceCropError) {
      self.decoder = decoder
      self.scale = scale
      self.color = color
      try decoder.startScans(scale: scale, color: color, byLibjpeg: byLibjpeg)
    }
  }

  /// Scans by their markers, at most one more than are allowed: to find out by decoding them costs what they were made to cost.
  func countedScans() throws(FaceCropError) -> Int {
    try input.open().scans(atMost: input.job.limits.scans.addingClamped(1))
  }

  /// The picture at a scale; nil when the file has not the planes.
  func overview(scale: Int, format: PixelBuffer.Format, progress: ProgressSpan) throws(FaceCropError) -> PixelBuffer? {
    let scans = try fullSizeScans()
    guard let count = input.planes(for: format, of: scans.decoder.overviewPlanes) else { return nil }
    let height = input.header.size.height
    // The DC coefficients are the picture at 1/8, and progressive files begin with them.
    try gather(scans, onlyFirst: scale == 1 && scans.decoder.firstScanIsDC(ofPlanes: count)) { fraction in
      progress.report(Int(fraction * Double(height)), of: height)
    }
    return try scans.decoder.overview(planes: count, scale: scale, format: format)
  }

  func decode(
    _ region: RegionRequest, format: PixelBuffer.Format, into sink: inout some RowSink
  ) throws(FaceCropError) {
    let (rect, scale, input, progress) = (region.rect, region.scale, input, region.progress)
    let isFullSize = scale == 8 && format == input.image.format
    let color = try input.color(for: format)
    // A decompressor has one scale. The coefficients, which may be all the memory that there is, are never there twice.
    if !isFullSize { self.scans = nil }
    let scans = try isFullSize ? fullSizeScans() : Scans(input.open(), scale: scale, color: color, byLibjpeg: byLibjpeg)
    // Reading through all scans counts as much as the region's rows.
    try gather(scans, onlyFirst: false) { fraction in
      progress.report(Int(fraction * Double(rect.height)), of: 2 * rect.height)
    }
    try scans.decoder.startScanRegion(rect, scale: scale, color: color)
    // They are given up behind the last region's rows.
    let releases = isFullSize && region.isLast
    if releases { self.scans = nil }
    let decoder = scans.decoder
    try input.read(decoder, rect.size, format, into: &sink) { (rows) throws(FaceCropError) in
      if releases { decoder.releaseCoefficients() }
      try input.judge(decoder.damage)
      progress.report(rect.height + rows, of: 2 * rect.height)
    }
  }

  /// A part of the file.
  func cut(
    of rect: PixelRect, metadata: (_ size: PixelSize) -> CropMetadata, progress: (_ fraction: Double) -> Void
  ) throws(FaceCropError) -> (bytes: [UInt8], rect: PixelRect) {
    let scans = try fullSizeScans()
    try gather(scans, onlyFirst: false, progress: progress)
    let mcu = scans.decoder.mcu
    let mcus = MCURect(covering: rect, mcu: mcu)
    let shown = mcus.pixels(mcu: mcu, in: input.header.size)
    let file = try JPEGFile(metadata(shown.size), profile: input.header.profile)
    return (try scans.decoder.losslessCrop(of: mcus, into: file), shown)
  }

  private func fullSizeScans() throws(FaceCropError) -> Scans {
    if let scans { return scans }
    let opened = try Scans(
      input.open(), scale: 8, color: try input.color(for: input.image.format), byLibjpeg: byLibjpeg)
    scans = opened
    return opened
  }

  /// Gathers the coefficients of the first scan, or of all.
  private func gather(_ scans: Scans, onlyFirst: Bool, progress: (Double) -> Void) throws(FaceCropError) {
    while !scans.isComplete {
      switch try scans.decoder.absorb(onlyFirstScan: onlyFirst) {
      case .goesOn:
        try input.judge(scans.decoder.damage)
        progress(scans.decoder.fractionRead)
      case .finished:
        try input.judge(scans.decoder.damage)
        scans.isComplete = !onlyFirst
        return
      case .unread:
        scans.decoder = try input.open()
        try scans.decoder.startScans(scale: scans.scale, color: scans.color, byLibjpeg: true)
      case .cutOff(let end):
        try input.judge(JPEGDecoder.Damage(kind: .truncated, intactRows: 0, scan: 2, hasRemarks: false))
        // Once more, up to where a whole scan ends.
        scans.decoder = try input.open(upTo: end)
        try scans.decoder.startScans(scale: scans.scale, color: scans.color, byLibjpeg: true)
      }
    }
  }
}
