/// The directories of a RAW file based on TIFF: CR2, NEF, ARW, DNG, PEF, SRW, and, except for the first bytes, ORF and
/// RW2. All directories are read, because each maker stores previews in another one: pages, their subdirectories, and
/// some makers' notes.
struct RAWDirectories {
  private(set) var contents: RAWContents
  private let file: TIFFFile
  private var entryCount = 0
  private var seen: Set<Int> = []

  private typealias Entries = [Int: TIFFFile.Entry]

  /// The upper bounds. Real files have ten directories and some hundred entries.
  private enum Most {
    static let (directories, entries) = (64, 20_000)
  }

  /// Panasonic's previews, each a whole file in an entry (https://exiftool.org/TagNames/PanasonicRaw.html).
  private static let panasonicPreviews = [0x002E, 0x0127]
  /// The size of Panasonic's sensor, with its border.
  private static let (panasonicWidth, panasonicHeight) = (2, 3)
  /// The photometric interpretations of sensor data (TIFF/EP; DNG 1.7, chapter 4).
  private static let (colorFilterArray, linearRaw) = (32_803, 34_892)

  /// Returns whether a TIFF file is a camera's RAW file. Its sensor data are on the first page, or on one that it names
  /// beside a smaller image, or it has a DNG mark.
  static func isRAW(_ bytes: ImageBytes, _ job: Job) throws(FaceCropError) -> Bool {
    guard let file = TIFFFile(bytes), let first = file.firstDirectory else { return false }
    let entries = try file.entries(at: first, job)
    if isOfSensor(file, entries) || entries[TIFFTag.dngVersion] != nil { return true }
    guard entries[TIFFTag.make] != nil, let inner = entries[TIFFTag.subdirectories] else { return false }
    if (file.number(entries[TIFFTag.subfileType]) ?? 0) & 1 == 1 { return true }
    for index in 0..<min(inner.count, 4) {
      if let offset = file.number(inner, at: index), isOfSensor(file, try file.entries(at: offset, job)) { return true }
    }
    return false
  }

  private static func isOfSensor(_ file: TIFFFile, _ entries: Entries) -> Bool {
    [colorFilterArray, linearRaw].contains(file.number(entries[TIFFTag.photometric]) ?? 0)
  }

  /// Reads the directories. Without a kind, it detects it from the file.
  init(_ file: TIFFFile, _ kind: RAWOrigin.Kind?, _ job: Job) throws(FaceCropError) {
    self.file = file
    contents = RAWContents(kind ?? .other)
    guard let first = file.firstDirectory else { throw .corrupt("the file ends inside its header") }
    var offset: Int? = first
    while let directory = offset, seen.count < Most.directories, !seen.contains(directory) {
      let entries = try read(directory, job)
      if directory == first { try take(first: entries, kind, job) }
      offset = file.directory(after: directory)
    }
  }

  private mutating func read(_ directory: Int, _ job: Job) throws(FaceCropError) -> Entries {
    guard seen.count < Most.directories, seen.insert(directory).inserted else { return [:] }
    let entries = try Self.entries(of: file, at: directory, count: &entryCount, job)
    takePicture(entries)
    if let inner = entries[TIFFTag.subdirectories] {
      for index in 0..<min(inner.count, 16) {
        if let offset = file.number(inner, at: index) { _ = try read(offset, job) }
      }
    }
    return entries
  }

  private static func entries(
    of file: TIFFFile, at directory: Int, count: inout Int, _ job: Job
  ) throws(FaceCropError) -> Entries {
    count += file.entryCount(at: directory) ?? 0
    guard count <= Most.entries else {
      throw .unsupported("the directories have more than \(Most.entries) entries")
    }
    return try file.entries(at: directory, job)
  }

  /// Adds a preview or a sensor image.
  private mutating func takePicture(_ entries: Entries) {
    contents.addPreview(at: file.number(entries[TIFFTag.jpegOffset]), file.number(entries[TIFFTag.jpegLength]))
    let compression = file.number(entries[TIFFTag.compression])
    if let strips = entries[TIFFTag.stripOffsets], strips.count == 1,
      [6, TIFFCompression.jpeg].contains(compression ?? 0)
    {
      contents.addPreview(at: file.number(strips), file.number(entries[TIFFTag.stripByteCounts]))
    }
    for tag in Self.panasonicPreviews {
      if contents.origin.kind == .rw2, let preview = entries[tag] {
        contents.addPreview(at: preview.values.lowerBound, preview.values.count)
      }
    }
    let isPanasonic = contents.origin.kind == .rw2
    if isPanasonic || Self.isOfSensor(file, entries),
      let width = file.number(entries[isPanasonic ? Self.panasonicWidth : TIFFTag.width]),
      let height = file.number(entries[isPanasonic ? Self.panasonicHeight : TIFFTag.height])
    {
      contents.addSensor(PixelSize(width: width, height: height))
    }
  }

  // MARK: The first page

  private mutating func take(
    first entries: Entries, _ kind: RAWOrigin.Kind?, _ job: Job
  ) throws(FaceCropError) {
    func bytes(_ tag: Int) -> [UInt8] { entries[tag].map { file.bytes($0, most: 64) } ?? [] }
    let make = bytes(TIFFTag.make)
    contents.setCamera(make: make, model: bytes(TIFFTag.model))
    if kind == nil { contents.origin.kind = entries[TIFFTag.dngVersion] != nil ? .dng : Self.kind(make) }
    contents.orientation =
      file.number(entries[EXIFTags.orientation]).flatMap(Orientation.init(rawValue:)) ?? .up
    contents.exif = try file.exif(entries, job)
    contents.credits = file.credits(entries)
    guard let offset = file.number(entries[EXIFTags.exifDirectory]) else { return }
    let exif = try Self.entries(of: file, at: offset, count: &entryCount, job)
    if contents.origin.sensorSize == nil, let width = file.number(exif[EXIFTags.pixelWidth]),
      let height = file.number(exif[EXIFTags.pixelHeight])
    {
      contents.addSensor(PixelSize(width: width, height: height))
    }
    if let note = exif[EXIFTags.makerNote] { try take(note: note, job) }
  }

  private static func kind(_ make: [UInt8]) -> RAWOrigin.Kind {
    let makers: [(String, RAWOrigin.Kind)] = [
      ("nikon", .nef), ("sony", .arw), ("pentax", .pef), ("ricoh", .pef), ("samsung", .srw), ("olympus", .orf),
      ("om digital", .orf), ("canon", .cr2), ("panasonic", .rw2),
    ]
    let text = String(decoding: make, as: UTF8.self).lowercased()
    return makers.first { text.hasPrefix($0.0) }?.1 ?? .other
  }

  // MARK: Makers' notes

  /// Adds Nikon's and Olympus's previews that no page names (https://exiftool.org/TagNames/Nikon.html and
  /// Olympus.html).
  private mutating func take(note: TIFFFile.Entry, _ job: Job) throws(FaceCropError) {
    let start = note.values.lowerBound
    if file.contains("Nikon\0", at: start) {
      // The note has a TIFF header of its own, and offsets are relative to it.
      try take(note: start + 10, directory: nil, inner: 0x11, at: (TIFFTag.jpegOffset, TIFFTag.jpegLength), job)
    } else if file.contains("OLYMPUS\0", at: start) {
      try take(note: start, directory: 12, inner: 0x2020, at: (0x101, 0x102), job)
    } else if file.contains("OM SYSTEM\0", at: start) {
      try take(note: start, directory: 16, inner: 0x2020, at: (0x101, 0x102), job)
    } else if file.contains("OLYMP\0", at: start) {
      let entries = try Self.entries(of: file, at: start + 8, count: &entryCount, job)
      contents.addPreview(at: file.number(entries[0x1036]), file.number(entries[0x1037]))
    }
  }

  /// Adds the preview in a maker note, with offsets relative to `base`. Without `directory`, the offset of its first
  /// one, it starts with a TIFF header. `inner` is the tag of the directory with the preview, and `tags` are those of
  /// the preview's offset and length.
  private mutating func take(
    note base: Int, directory: Int?, inner: Int, at tags: (offset: Int, length: Int), _ job: Job
  ) throws(FaceCropError) {
    guard let note = file.part(from: base, directory == nil ? nil : file.kind),
      let first = directory ?? note.firstDirectory
    else { return }
    let entries = try Self.entries(of: note, at: first, count: &entryCount, job)
    // Some files store an offset, and others the bytes of the directory.
    guard let entry = entries[inner], let offset = entry.type == 7 ? entry.values.lowerBound : note.number(entry)
    else { return }
    let preview = try Self.entries(of: note, at: offset, count: &entryCount, job)
    contents.addPreview(
      at: note.number(preview[tags.offset]).map { base.addingClamped($0) }, note.number(preview[tags.length]))
  }
}
