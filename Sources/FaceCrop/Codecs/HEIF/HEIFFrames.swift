#if HEIF
  internal import CHEIFShim

  /// The frames of an AVIF or HEIC sequence: the images of a track, with those of the track that is their alpha (AVIF,
  /// 4; ISO/IEC 23008-12, 7).
  final class HEIFFrames: FrameSource {
    let count, plays, pixels: Int

    private let size: PixelSize
    private let milliseconds: [Int]
    private let color: HEIFTrackDecoder
    private let alpha: HEIFTrackDecoder?
    private let isPremultiplied: Bool
    private(set) var faults: Faults

    /// Finds the tracks for a still image; nil if the file has none of AV1 or HEVC images.
    init?(
      _ file: HEIFFile, beside still: HEIFPicture, allowsDamage: Bool, job: Job
    ) throws(FaceCropError) {
      let tracks = try file.tracks(job).filter { ["av01", "hvc1", "hev1"].contains($0.codec) }
      guard let track = tracks.first(where: { $0.handler == "pict" || $0.handler == "vide" }) else { return nil }
      size = still.canvas.size
      guard track.size == size, still.view.rect.size == size else {
        throw .unsupported(
          "the sequence has \(track.size.width)×\(track.size.height) pixels, unlike the still image (choose the first frame)"
        )
      }
      color = try HEIFTrackDecoder(track, of: file, beside: still.canvas, job: job)
      count = color.count
      (milliseconds, plays) = (try track.milliseconds(count: count, job), track.plays)
      let auxiliary = tracks.first { $0.handler == "auxv" && $0.refers("auxl", to: track) }
      if let auxiliary, let canvas = still.alpha {
        let alpha = try HEIFTrackDecoder(auxiliary, of: file, beside: canvas, job: job)
        guard alpha.count == count, auxiliary.size == size else {
          throw .unsupported("the sequence's alpha has another size or number of images (choose the first frame)")
        }
        self.alpha = alpha
        isPremultiplied = track.refers("prem", to: auxiliary)
      } else {
        (alpha, isPremultiplied) = (nil, false)
      }
      pixels = size.bytes(channels: alpha == nil ? 1 : 2).multipliedClamped(by: count)
      faults = Faults(allowsDamage: allowsDamage, rows: size.height)
      try job.limits.check(.heifBytes, color.memory.addingClamped(alpha?.memory ?? 0))
    }

    func frame(_ index: Int) throws(FaceCropError) -> FramePatch {
      // A missing frame shows the one before.
      let missing = FramePatch.empty(milliseconds: milliseconds[index])
      guard let picture = try intact(color, index) else { return missing }
      let opacity = try alpha.flatMap { (alpha) throws(FaceCropError) in try intact(alpha, index) }
      if alpha != nil, opacity == nil { return missing }
      let format: PixelBuffer.Format = opacity == nil ? .rgb : .rgba
      let pixels = try unsafe PixelBuffer.filled(size: size, format: format) { (pixels) throws(FaceCropError) in
        for row in 0..<size.height {
          let out = unsafe pixels.baseAddress! + row * size.width * format.channels
          unsafe picture.read(row: row, columns: 0..<size.width, into: out, format: format)
          guard let opacity else { continue }
          for column in 0..<size.width { unsafe out[4 * column + 3] = opacity.alpha(x: column, y: row) }
          if isPremultiplied { unsafe HEIFSession.unpremultiply(out, count: size.width) }
        }
      }.picture
      return FramePatch(
        pixels: pixels, place: PixelRect(whole: size, scale: 8), isBlended: false, disposal: .keep,
        milliseconds: milliseconds[index])
    }

    /// Decodes an image of a track; nil if it is damaged, and damage is allowed.
    private func intact(_ track: HEIFTrackDecoder, _ index: Int) throws(FaceCropError) -> DecodedPicture? {
      do throws(FaceCropError) {
        if let picture = try track.picture(index) { return picture }
        try faults.judge(.truncated(coarse: false), intactRows: 0, isTolerable: false)
      } catch .corrupt(let what) {
        guard faults.allowsDamage else { throw .corrupt("frame \(index): \(what)") }
        try faults.judge(.corrupt, intactRows: 0, isTolerable: false)
      } catch .unsupported(let what) {
        throw .unsupported("frame \(index): \(what) (choose the first frame)")
      }
      return nil
    }
  }

  /// A decoder of the images of one track, in their order. HEVC's must not be predicted from each other, as still ones.
  @safe final class HEIFTrackDecoder: ShimObject {
    var count: Int { images.count }

    private let file: HEIFFile
    private let images: [Range<Int>]
    private let coded: CodedSequence
    private let job: Job
    /// The configuration of HEVC; nil for AV1.
    private let hevc: HEVCConfiguration?
    /// The units of the configuration, which come before the first image.
    private var units: [UInt8] = []

    init(
      _ track: HEIFTrack, of file: HEIFFile, beside canvas: HEIFCanvas, job: Job
    ) throws(FaceCropError) {
      (self.file, self.job) = (file, job)
      images = try track.images(job)
      let isAV1 = track.codec == "av01"
      guard let box = track.described(isAV1 ? "av1C" : "hvcC") else {
        throw .corrupt("the sequence has no \(isAV1 ? "AV1" : "HEVC") configuration")
      }
      let samples: CodedSamples
      if isAV1 {
        let av1 = try AV1Configuration(box, start: file.data(images[0], most: AV1Sequence.mostBytes).bytes)
        (hevc, units, samples) = (nil, av1.units, av1.samples)
      } else {
        let hevc = try HEVCConfiguration(box, largest: CodedPicture.largest(of: track.size))
        (self.hevc, samples) = (hevc, hevc.sequence.samples)
      }
      let coded = CodedSequence(size: track.size, samples: samples)
      self.coded = coded
      guard coded.bytes <= canvas.asSequence.bytes else {
        throw .unsupported("the sequence has other samples than the still image (choose the first frame)")
      }
      let matrix = track.matrix
      var message = FCMessage()
      var made: OpaquePointer?
      // A decoder is created without data.
      let status = unsafe [UInt8](repeating: 0, count: 1).withUnsafeBufferPointer { none in
        unsafe fcheif_sequence_create(
          FCHEIFSource(
            codec: isAV1 ? .AV1 : .HEVC, data: none.baseAddress!, count: 0, chroma: samples.chroma,
            depth: UInt32(samples.depth),
            maximumWidth: UInt32(clamping: coded.largest.width),
            maximumHeight: UInt32(clamping: coded.largest.height),
            maximumFrames: UInt32(FCHEIFSequenceImageFrames), operatingPoint: 0, hasMatrix: matrix != nil,
            matrix: Int32(matrix?.code ?? 0), isFullRange: matrix?.isFullRange ?? true,
            cancellation: job.cancellation.flag),
          &made, &message)
      }
      try status.check(message.string)
      try unsafe super.init(made, fcheif_sequence_destroy)
    }

    /// An upper bound of the bytes for decoding: the decoder's frames, an image's pixels, and copies of its data.
    var memory: Int {
      coded.bytes.addingClamped((images.map(\.count).max() ?? 0).multipliedClamped(by: hevc == nil ? 3 : 6))
        .addingClamped(hevc?.sliceBytes ?? 0)
    }

    /// Decodes an image; nil if its data end with the file.
    func picture(_ index: Int) throws(FaceCropError) -> DecodedPicture? {
      guard images[index].count <= coded.maximumDataBytes else {
        throw .corrupt("an image of the sequence has too many bytes")
      }
      let (data, isComplete) = file.data(images[index], most: coded.maximumDataBytes)
      guard isComplete else { return nil }
      defer { units = [] }
      if let hevc {
        units = try hevc.units(ofFirstPicture: data, job)
      } else {
        units += data
        try AV1Units.check(units, job)
      }
      var message = FCMessage()
      var made: OpaquePointer?
      let status = unsafe fcheif_sequence_decode(handle, units, units.count, &made, &message)
      try status.check(message.string)
      return try unsafe DecodedPicture(made!, atLeast: coded.size)
    }
  }

  /// The memory of a sequence's images.
  struct CodedSequence {
    let size: PixelSize
    let samples: CodedSamples

    /// The bytes of a frame's samples. dav1d's frames have whole blocks of 128 pixels.
    private var frameBytes: Int {
      func whole(_ side: Int) -> Int { (side + 127) / 128 * 128 + 64 }
      return samples.bytes(PixelSize(width: whole(size.width), height: whole(size.height)))
    }

    /// An upper bound of the bytes for decoding, without the data.
    var bytes: Int {
      frameBytes.multipliedClamped(by: Int(FCHEIFSequenceFrames))
        .addingClamped(size.bytes(channels: samples.chroma == .monochrome ? 1 : 3))
    }

    /// The upper bounds of an image's coded bytes, and of a frame's sides; see ``CodedPicture``.
    var maximumDataBytes: Int { frameBytes.multipliedClamped(by: 2).addingClamped(65_536) }
    var largest: PixelSize { CodedPicture.largest(of: size) }
  }

  extension HEIFCanvas {
    /// The sequence whose images are coded like this one.
    var asSequence: CodedSequence { CodedSequence(size: size, samples: tiles[0].samples) }
  }
#endif
