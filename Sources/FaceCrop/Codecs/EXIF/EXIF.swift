/// EXIF data as a value (CIPA DC-008-2019, which is Exif 2.32; TIFF 6.0, section 2). It has only checked entries that
/// ``EXIFTags`` lists, so that nothing else can be written again.
struct EXIF: Equatable {
  enum Directory: Hashable, CaseIterable {
    /// The first directory of the file, with TIFF's general tags.
    case main
    case exif, gps, interoperability
  }

  /// The value types of TIFF, by code.
  enum ValueType: Int {
    case byte = 1
    case ascii, short, long, rational
    case undefined = 7
    case signedLong = 9
    case signedRational
    /// A LONG with the offset of a directory (TIFF Technical Note 1).
    case directory = 13

    /// The bytes of one value.
    var size: Int { TIFFFile.sizes[rawValue]! }
  }

  struct Value: Equatable {
    var type: ValueType
    /// The bytes. Numbers have the data's byte order, and a text ends with a zero.
    var bytes: [UInt8]

    var count: Int { bytes.count / type.size }
  }

  let order: ByteOrder
  var values: [Directory: [Int: Value]] = [:]
  /// The bytes of the embedded preview; nil if it is missing or lies outside. It is never written.
  private(set) var thumbnail: ArraySlice<UInt8>?

  /// Reads a TIFF structure; nil if the bytes do not start like one.
  init?(_ tiff: [UInt8]) { self.init(tiff, beginningWith: .main) }

  /// Reads a TIFF structure, whose first directory is of the kind `first`; nil if the bytes do not start like one.
  init?(_ tiff: [UInt8], beginningWith first: Directory) {
    let read = unsafe tiff.withUnsafeBufferPointer { bytes -> (ByteOrder, EXIFReader.Content)? in
      guard let file = unsafe TIFFFile(ImageBytes(bytes, isFileMapping: false)), !file.kind.isBig else { return nil }
      return (file.kind.order, EXIFReader(file: file).read(from: first))
    }
    guard let read else { return nil }
    (order, values, thumbnail) = (read.0, read.1.values, read.1.thumbnail.map { tiff[$0] })
  }

  /// Creates EXIF data without entries.
  init(_ order: ByteOrder) {
    self.order = order
  }

  /// The orientation; `up` if the tag is missing or not 1 to 8.
  var orientation: Orientation {
    number(EXIFTags.orientation, in: .main).flatMap(Orientation.init(rawValue:)) ?? .up
  }

  /// The color profile that the data name: Adobe RGB, as DCF 2.0 (CIPA DC-009) marks it; nil for sRGB and other colors.
  var profile: [UInt8]? {
    let uncalibrated = 0xFFFF
    guard number(EXIFTags.colorSpace, in: .exif) == uncalibrated,
      text(EXIFTags.interoperabilityIndex, in: .interoperability)?.elementsEqual("R03".utf8) == true
    else { return nil }
    return ICCProfile.adobeRGB
  }

  /// Returns a single unsigned integer.
  func number(_ tag: Int, in directory: Directory) -> Int? {
    guard let value = values[directory]?[tag], value.count == 1 else { return nil }
    return switch value.type {
    case .short: value.bytes.span.uint16(at: 0, order)
    case .long: value.bytes.span.uint32(at: 0, order)
    default: nil
    }
  }

  /// Returns a tag's text without its terminating zero; nil if absent.
  func text(_ tag: Int, in directory: Directory) -> ArraySlice<UInt8>? {
    guard let value = values[directory]?[tag], value.type == .ascii else { return nil }
    return value.bytes.dropLast()
  }
}
