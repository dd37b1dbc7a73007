/// EXIF data as a value (CIPA DC-008-2019, which is Exif 2.32; TIFF 6.0, section 2): of each directory the entries that
/// ``EXIFTags`` lists, checked, and nothing else of the bytes. What is no part of the value cannot be written again.
struct EXIF: Equatable {
  enum Directory: Hashable, CaseIterable {
    /// The first one of the file, with what TIFF knows of any picture.
    case main
    case exif, gps, interoperability
  }

  /// TIFF's types, by their codes.
  enum ValueType: Int {
    case byte = 1
    case ascii, short, long, rational
    case undefined = 7
    case signedLong = 9
    case signedRational
    /// A LONG that is a directory's offset (TIFF Technical Note 1).
    case directory = 13

    /// Bytes of one.
    var size: Int {
      switch self {
      case .byte, .ascii, .undefined: 1
      case .short: 2
      case .long, .signedLong, .directory: 4
      case .rational, .signedRational: 8
      }
    }
  }

  struct Value: Equatable {
    var type: ValueType
    /// Numbers are in the data's byte order; a text has the zero at its end.
    var bytes: [UInt8]

    var count: Int { bytes.count / type.size }
  }

  let order: ByteOrder
  /// The values by directory and tag.
  var values: [Directory: [Int: Value]] = [:]
  /// The embedded preview's bytes; nil when there is none, or it lies outside. It is for looking at, and never written.
  private(set) var thumbnail: ArraySlice<UInt8>?

  /// - Parameter tiff: a TIFF structure.
  /// - Returns: nil when the bytes do not begin like one.
  init?(_ tiff: [UInt8]) { self.init(tiff, beginningWith: .main) }

  /// - Parameter first: what its first directory is.
  init?(_ tiff: [UInt8], beginningWith first: Directory) {
    guard let reader = EXIFReader(tiff) else { return nil }
    order = reader.order
    (values, thumbnail) = reader.read(from: first)
  }

  /// EXIF data without any entry.
  init(_ order: ByteOrder) {
    self.order = order
  }

  /// `up` when the tag is missing or holds no value from 1 to 8.
  var orientation: Orientation {
    number(EXIFTags.orientation, in: .main).flatMap(Orientation.init(rawValue:)) ?? .up
  }

  /// A single number that has no sign and is no fraction.
  func number(_ tag: Int, in directory: Directory) -> Int? {
    guard let value = values[directory]?[tag], value.count == 1 else { return nil }
    return switch value.type {
    case .short: value.bytes.span.uint16(at: 0, order)
    case .long: value.bytes.span.uint32(at: 0, order)
    default: nil
    }
  }

  /// A tag's text, without the zero at its end; nil where there is none.
  func text(_ tag: Int, in directory: Directory) -> ArraySlice<UInt8>? {
    guard let value = values[directory]?[tag], value.type == .ascii else { return nil }
    return value.bytes.dropLast()
  }
}
