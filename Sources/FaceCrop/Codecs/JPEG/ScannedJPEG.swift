internal import CJPEGShim

/// The method for a file with several scans. It is read once, and one decompressor collects its coefficients. This
/// gives the overview as soon as possible, and then any number of regions.
final class ScannedJPEG {
  private let input: JPEGInput
  /// The coefficients for regions at full size.
  private var scans: Scans?
  private let byLibjpeg: Bool

  /// Creates the method. libjpeg reads all scans only for tests.
  init(_ input: JPEGInput, byLibjpeg: Bool) {
    self.input = input
    self.byLibjpeg = byLibjpeg
  }

  /// A decompressor that collects coefficients, and its state.
  private final class Scans {
    let scale: Int
    let color: FCColor
    var decoder: JPEGDecoder
    var isComplete = false

    init(_ decoder: JPEGDecoder, scale: Int, color: FCColor, byLibjpeg: Bool) throws(FaceCropError) {
      self.decoder = decoder
      self.scale = scale
      self.color = color
      try decoder.startScans(scale: scale, color: color, byLibjpeg: byLibjpeg)
    }
  }

  /// Counts scans by their markers, up to one more than allowed. Decoding would have the cost that the limit prevents.
  func countedScans() throws(FaceCropError) -> Int {
    try input.open().scans(atMost: input.job.limits.scans.addingClamped(1))
  }

  /// Creates an overview at a scale; nil if the file lacks the needed planes.
  func overview(scale: Int, format: PixelBuffer.Format, progress: ProgressSpan) throws(FaceCropError) -> PixelBuffer? {
    let scans = try fullSizeScans()
    guard let count = input.planes(for: format, of: scans.decoder.overviewPlanes) else { return nil }
    let height = input.header.size.height
    // The DC coefficients are the image at 1/8, and progressive files start with them.
    try gather(scans, onlyFirst: scale == 1 && scans.decoder.firstScanIsDC(ofPlanes: count)) {
      progress.report($0, of: height)
    }
    return try scans.decoder.overview(planes: count, scale: scale, format: format)
  }

  func decode(
    _ region: RegionRequest, format: PixelBuffer.Format, into sink: inout some RowSink
  ) throws(FaceCropError) {
    let (rect, scale, input, progress) = (region.rect, region.scale, input, region.progress)
    let isFullSize = scale == 8 && format == input.image.format
    let color = try input.color(for: format)
    // A decompressor has one scale. Coefficients can take all available memory, so they never exist twice.
    if !isFullSize { self.scans = nil }
    let scans = try isFullSize ? fullSizeScans() : Scans(input.open(), scale: scale, color: color, byLibjpeg: byLibjpeg)
    // Reading all scans counts as half of the progress.
    try gather(scans, onlyFirst: false) { fraction in
      progress.report(Int(fraction * Double(rect.height)), of: 2 * rect.height)
    }
    try scans.decoder.startScanRegion(rect, scale: scale, color: color)
    // After the last region the coefficients are freed row by row.
    let releases = isFullSize && region.isLast
    if releases { self.scans = nil }
    let decoder = scans.decoder
    try input.read(decoder, rect.size, format, into: &sink) { (rows) throws(FaceCropError) in
      if releases { decoder.releaseCoefficients() }
      try input.judge(decoder.damage)
      progress.report(rect.height + rows, of: 2 * rect.height)
    }
  }

  /// Cuts a part out of the file.
  func cut(
    of rect: PixelRect, metadata: (_ size: PixelSize) -> CropMetadata, progress: (_ fraction: Double) -> Void
  ) throws(FaceCropError) -> (bytes: [UInt8], rect: PixelRect) {
    let scans = try fullSizeScans()
    try gather(scans, onlyFirst: false, progress: progress)
    let mcu = scans.decoder.mcu
    let mcus = MCURect(covering: rect, mcu: mcu)
    let shown = mcus.pixels(mcu: mcu, in: input.header.size)
    let segments = try JPEGSegments.segments(of: metadata(shown.size), profile: input.header.profile)
    return (try scans.decoder.losslessCrop(of: mcus, with: segments), shown)
  }

  /// Returns the file with hidden areas.
  func blur(
    _ areas: [HiddenArea], by mode: BlurMode, metadata: CropMetadata, progress: (_ fraction: Double) -> Void
  ) throws(FaceCropError) -> [UInt8] {
    let scans = try fullSizeScans()
    try gather(scans, onlyFirst: false) { progress($0 / 2) }
    // The edited coefficients are no longer the image's.
    self.scans = nil
    try scans.decoder.hide(areas, by: mode, input.job) { progress(0.5 + $0 / 2) }
    return try scans.decoder.rewritten(
      with: JPEGSegments.segments(of: metadata, profile: input.header.profile))
  }

  private func fullSizeScans() throws(FaceCropError) -> Scans {
    if let scans { return scans }
    let opened = try Scans(
      input.open(), scale: 8, color: try input.color(for: input.image.format), byLibjpeg: byLibjpeg)
    scans = opened
    return opened
  }

  /// Collects the coefficients of the first scan, or of all.
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
        try input.judge(FCDamage(kind: .truncated, intactRows: 0, pass: 2, remarks: 0))
        // The second attempt ends after a complete scan.
        scans.decoder = try input.open(upTo: end)
        try scans.decoder.startScans(scale: scans.scale, color: scans.color, byLibjpeg: true)
      }
    }
  }
}
