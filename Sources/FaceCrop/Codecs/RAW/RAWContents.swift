/// The parts of a RAW file that are read: its header, and the positions of possible JPEG previews, but no sensor data.
struct RAWContents {
  var origin: RAWOrigin
  /// The orientation for previews without their own.
  var orientation = Orientation.up
  /// The EXIF data outside the preview; empty for none.
  var exif: [UInt8] = []
  var credits = CreditSources()
  /// The ranges of possible JPEG files, in the file's order. They may reach out of the file, or contain no JPEG.
  private(set) var previews: [Range<Int>] = []

  /// The upper bound of previews. Real files have at most four.
  static let mostPreviews = 8

  init(_ kind: RAWOrigin.Kind) { origin = RAWOrigin(kind: kind) }

  mutating func addPreview(at start: Int?, _ length: Int?) {
    guard let start, let length, start > 0, length > 0, length < 1 << 40, start < 1 << 40 else { return }
    let range = start..<start + length
    if previews.count < Self.mostPreviews, !previews.contains(range) { previews.append(range) }
  }

  /// Adds the size of a sensor image. The largest one counts.
  mutating func addSensor(_ size: PixelSize) {
    guard size.width > 0, size.height > 0, size.longSide <= 1 << 20 else { return }
    if size.area > origin.sensorSize?.area ?? 0 { origin.sensorSize = size }
  }

  /// Sets the camera's name. Both texts are padded with zeros and blanks, and many models repeat their maker.
  mutating func setCamera(make: [UInt8], model: [UInt8]) {
    func text(_ bytes: [UInt8]) -> String { CreditText.decoded(bytes.prefix(64).prefix { $0 != 0 }) ?? "" }
    let (make, model) = (text(make), text(model))
    let maker = make.split(separator: " ").first.map { $0.lowercased() } ?? ""
    let camera = model.lowercased().hasPrefix(maker) || make.isEmpty ? model : "\(make) \(model)"
    origin.camera = camera.isEmpty ? nil : camera
  }

  /// The start of a file that is not plain TIFF.
  enum Beginning {
    case canonCR3, fujifilm
    /// A file like TIFF, with another number instead of 42, or with a mark after it.
    case directories(TIFFFile.Kind, RAWOrigin.Kind)

    init?(_ bytes: Span<UInt8>) {
      if bytes.contains("ftypcrx ", at: 4) {
        self = .canonCR3
      } else if bytes.contains("FUJIFILMCCD-RAW", at: 0) {
        self = .fujifilm
      } else if bytes.contains("II*\0", at: 0), bytes.contains("CR\u{2}\0", at: 8) {
        self = .directories(TIFFFile.Kind(.littleEndian), .cr2)
      } else if bytes.contains("IIRO", at: 0) || bytes.contains("IIRS", at: 0) {
        self = .directories(TIFFFile.Kind(.littleEndian), .orf)
      } else if bytes.contains("MMOR", at: 0) {
        self = .directories(TIFFFile.Kind(.bigEndian), .orf)
      } else if bytes.contains("IIU\0", at: 0) {
        self = .directories(TIFFFile.Kind(.littleEndian), .rw2)
      } else {
        return nil
      }
    }
  }

  /// Reads the header; throws ``FaceCropError/corrupt(_:)`` for a file that ends in it.
  init(reading bytes: ImageBytes, job: Job) throws(FaceCropError) {
    switch Beginning(unsafe bytes.buffer.span) {
    case .canonCR3?: self = try CanonRAW.contents(of: bytes, job)
    case .fujifilm?: self = try FujifilmRAW.contents(of: bytes)
    case .directories(let order, let kind)?: self = try RAWDirectories(TIFFFile(bytes, order), kind, job).contents
    case nil:
      guard let file = TIFFFile(bytes) else { throw .corrupt("the file ends inside its header") }
      self = try RAWDirectories(file, nil, job).contents
    }
  }
}
