/// The tags that are read and may be written again. All others are dropped, for example maker notes, which may contain
/// images, and positions of image data. Tags that apply only to the whole image are dropped too, such as the subject's
/// position or the coding of samples.
///
/// Counts follow the standard (CIPA DC-008-2019, tables 4, 7, 8, 13 and 15). Types allow any integer or any fraction,
/// as programs write them. Texts without a standard length have a limit, so that all values fit into a JPEG segment.
enum EXIFTags {
  /// The required form of a value.
  enum Form {
    /// ASCII with an upper bound in bytes, terminating zero included. A copyright has two parts, separated by a zero.
    case text(Int, parts: Int = 1)
    /// Values of one of these types, with a range for their count.
    case numbers([EXIF.ValueType], ClosedRange<Int>)
    /// A text in UNDEFINED bytes. The first eight name its encoding.
    case comment(Int)
    /// UTF-16, little-endian, in BYTEs, terminated by a zero, as Windows writes an image's properties.
    case wideText(Int)
    /// The offset of a directory.
    case directory(EXIF.Directory)

    static let integer = integers(1...1)
    static let fraction = fractions(1)

    static func integers(_ counts: ClosedRange<Int>) -> Form { .numbers([.byte, .short, .long, .signedLong], counts) }
    static func fractions(_ count: Int) -> Form { .numbers([.rational, .signedRational], count...count) }
    static func bytes(_ count: Int) -> Form { .numbers([.undefined, .byte], count...count) }
  }

  static func form(of tag: Int, in directory: EXIF.Directory) -> Form? {
    switch directory {
    case .main: main[tag]
    case .exif: exif[tag]
    case .gps: gps[tag]
    case .interoperability: interoperability[tag]
    }
  }

  // MARK: Named tags

  static let imageWidth = 0x0100
  static let imageLength = 0x0101
  static let orientation = 0x0112
  static let xResolution = 0x011A
  static let yResolution = 0x011B
  static let resolutionUnit = 0x0128
  static let dateTime = 0x0132
  static let artist = 0x013B
  static let whitePoint = 0x013E
  static let primaryChromaticities = 0x013F
  static let copyright = 0x8298
  static let windowsAuthor = 0x9C9D
  static let exifDirectory = 0x8769
  static let gpsDirectory = 0x8825
  static let dateTimeOriginal = 0x9003
  static let offsetTimeOriginal = 0x9011
  /// A tag that is never written. Some makers store a preview's position or a gain map's headroom in it.
  static let makerNote = 0x927C
  static let subSecondsOriginal = 0x9291
  static let colorSpace = 0xA001
  static let pixelWidth = 0xA002
  static let pixelHeight = 0xA003
  static let interoperabilityDirectory = 0xA005
  static let gamma = 0xA500
  static let interoperabilityIndex = 1

  // MARK: The lists

  /// The upper bound of artist and copyright in bytes, the terminating zero included.
  static let mostCreditBytes = 4_096

  private static let main: [Int: Form] = [
    imageWidth: .integer,
    imageLength: .integer,
    0x010E: .text(4_096),  // ImageDescription
    0x010F: .text(256),  // Make
    0x0110: .text(256),  // Model
    // The standard requires SHORT, but some programs write LONG.
    orientation: .numbers([.short, .long], 1...1),
    xResolution: .fraction,
    yResolution: .fraction,
    resolutionUnit: .integer,
    0x0131: .text(256),  // Software
    dateTime: .text(20),
    artist: .text(mostCreditBytes),
    0x013C: .text(256),  // HostComputer (TIFF)
    whitePoint: .fractions(2),
    primaryChromaticities: .fractions(6),
    // Properties that Windows and other programs write ("Photo Metadata Policies").
    0x4746: .integer,  // Rating
    0x4749: .integer,  // RatingPercent
    0x9C9B: .wideText(4_096),  // XPTitle
    0x9C9C: .wideText(4_096),  // XPComment
    windowsAuthor: .wideText(4_096),  // XPAuthor
    0x9C9E: .wideText(4_096),  // XPKeywords
    0x9C9F: .wideText(4_096),  // XPSubject
    copyright: .text(mostCreditBytes, parts: 2),
    exifDirectory: .directory(.exif),
    gpsDirectory: .directory(.gps),
  ]

  private static let exif: [Int: Form] = [
    0x829A: .fraction,  // ExposureTime
    0x829D: .fraction,  // FNumber
    0x8822: .integer,  // ExposureProgram
    0x8824: .text(256),  // SpectralSensitivity
    0x8827: .integers(1...4),  // PhotographicSensitivity
    0x8830: .integer,  // SensitivityType
    0x8831: .integer,  // StandardOutputSensitivity
    0x8832: .integer,  // RecommendedExposureIndex
    0x8833: .integer,  // ISOSpeed
    0x8834: .integer,  // ISOSpeedLatitudeyyy
    0x8835: .integer,  // ISOSpeedLatitudezzz
    0x9000: .bytes(4),  // ExifVersion
    dateTimeOriginal: .text(20),
    0x9004: .text(20),  // DateTimeDigitized
    0x9010: .text(7),  // OffsetTime
    offsetTimeOriginal: .text(7),
    0x9012: .text(7),  // OffsetTimeDigitized
    0x9101: .bytes(4),  // ComponentsConfiguration
    0x9201: .fraction,  // ShutterSpeedValue
    0x9202: .fraction,  // ApertureValue
    0x9203: .fraction,  // BrightnessValue
    0x9204: .fraction,  // ExposureBiasValue
    0x9205: .fraction,  // MaxApertureValue
    0x9206: .fraction,  // SubjectDistance
    0x9207: .integer,  // MeteringMode
    0x9208: .integer,  // LightSource
    0x9209: .integer,  // Flash
    0x920A: .fraction,  // FocalLength
    0x9286: .comment(8_192),  // UserComment
    0x9290: .text(32),  // SubSecTime
    subSecondsOriginal: .text(32),
    0x9292: .text(32),  // SubSecTimeDigitized
    0x9400: .fraction,  // Temperature
    0x9401: .fraction,  // Humidity
    0x9402: .fraction,  // Pressure
    0x9403: .fraction,  // WaterDepth
    0x9404: .fraction,  // Acceleration
    0x9405: .fraction,  // CameraElevationAngle
    0xA000: .bytes(4),  // FlashpixVersion
    colorSpace: .integer,
    pixelWidth: .integer,
    pixelHeight: .integer,
    interoperabilityDirectory: .directory(.interoperability),
    0xA20B: .fraction,  // FlashEnergy
    0xA20E: .fraction,  // FocalPlaneXResolution
    0xA20F: .fraction,  // FocalPlaneYResolution
    0xA210: .integer,  // FocalPlaneResolutionUnit
    0xA215: .fraction,  // ExposureIndex
    0xA217: .integer,  // SensingMethod
    0xA300: .bytes(1),  // FileSource
    0xA301: .bytes(1),  // SceneType
    0xA401: .integer,  // CustomRendered
    0xA402: .integer,  // ExposureMode
    0xA403: .integer,  // WhiteBalance
    0xA404: .fraction,  // DigitalZoomRatio
    0xA405: .integer,  // FocalLengthIn35mmFilm
    0xA406: .integer,  // SceneCaptureType
    0xA407: .integer,  // GainControl
    0xA408: .integer,  // Contrast
    0xA409: .integer,  // Saturation
    0xA40A: .integer,  // Sharpness
    0xA40C: .integer,  // SubjectDistanceRange
    0xA420: .text(33),  // ImageUniqueID
    0xA430: .text(1_024),  // CameraOwnerName
    0xA431: .text(256),  // BodySerialNumber
    0xA432: .fractions(4),  // LensSpecification
    0xA433: .text(256),  // LensMake
    0xA434: .text(256),  // LensModel
    0xA435: .text(256),  // LensSerialNumber
    0xA460: .integer,  // CompositeImage
    0xA461: .integers(2...2),  // SourceImageNumberOfCompositeImage
    gamma: .fraction,
  ]

  private static let gps: [Int: Form] = [
    0: .bytes(4),  // GPSVersionID
    1: .text(2),  // GPSLatitudeRef
    2: .fractions(3),  // GPSLatitude
    3: .text(2),  // GPSLongitudeRef
    4: .fractions(3),  // GPSLongitude
    5: .integer,  // GPSAltitudeRef
    6: .fraction,  // GPSAltitude
    7: .fractions(3),  // GPSTimeStamp
    8: .text(256),  // GPSSatellites
    9: .text(2),  // GPSStatus
    10: .text(2),  // GPSMeasureMode
    11: .fraction,  // GPSDOP
    12: .text(2),  // GPSSpeedRef
    13: .fraction,  // GPSSpeed
    14: .text(2),  // GPSTrackRef
    15: .fraction,  // GPSTrack
    16: .text(2),  // GPSImgDirectionRef
    17: .fraction,  // GPSImgDirection
    18: .text(256),  // GPSMapDatum
    19: .text(2),  // GPSDestLatitudeRef
    20: .fractions(3),  // GPSDestLatitude
    21: .text(2),  // GPSDestLongitudeRef
    22: .fractions(3),  // GPSDestLongitude
    23: .text(2),  // GPSDestBearingRef
    24: .fraction,  // GPSDestBearing
    25: .text(2),  // GPSDestDistanceRef
    26: .fraction,  // GPSDestDistance
    27: .comment(256),  // GPSProcessingMethod
    28: .comment(1_024),  // GPSAreaInformation
    29: .text(11),  // GPSDateStamp
    30: .integer,  // GPSDifferential
    31: .fraction,  // GPSHPositioningError
  ]

  private static let interoperability: [Int: Form] = [
    interoperabilityIndex: .text(4),
    2: .bytes(4),  // InteroperabilityVersion
  ]
}
