#if HEIF
  /// The header of an HEVC unit (ITU-T H.265, 7.3.1.2).
  struct HEVCUnitHeader {
    let type: Int
    let layer: Int

    /// The unit types of slices.
    static let pictures = 0...31
    static let parameterSets = 32...34
    static let (videoParameters, sequenceParameters, pictureParameters) = (32, 33, 34)

    /// Reads the header; nil for a unit without content.
    init?(_ unit: [UInt8]) {
      guard unit.count > 2 else { return nil }
      type = Int(unit[0] >> 1 & 0x3F)
      layer = Int(unit[0] & 1) << 5 | Int(unit[1] >> 3)
    }
  }

  /// The parameter sets by kind and number. The last one of a number counts.
  struct HEVCParameterSets {
    private var videos: [Int: [UInt8]] = [:]
    private var sequences: [Int: [UInt8]] = [:]
    private var pictures: [Int: [UInt8]] = [:]

    /// Takes a whole unit with its header.
    mutating func take(_ unit: [UInt8]) throws(FaceCropError) {
      switch HEVCUnitHeader(unit)?.type {
      case HEVCUnitHeader.videoParameters: videos[Int(unit[2] >> 4)] = unit
      case HEVCUnitHeader.sequenceParameters: sequences[try HEVCSequence(unit).number] = unit
      case HEVCUnitHeader.pictureParameters: pictures[try HEVCPictureParameters(unit).number] = unit
      default: break
      }
    }

    /// Returns the parameter sets of a slice. All slices of an image name the same ones (7.4.7.1).
    func coding(of slice: HEVCSlice) throws(FaceCropError) -> HEVCCoding {
      guard let pictureUnit = pictures[slice.pictureParameters] else {
        throw .corrupt("a slice names missing HEVC parameters")
      }
      let picture = try HEVCPictureParameters(pictureUnit)
      guard let sequenceUnit = sequences[picture.sequence] else {
        throw .corrupt("a slice names a missing HEVC sequence")
      }
      let sequence = try HEVCSequence(sequenceUnit)
      let video = videos[sequence.video].map { [$0] } ?? []
      return HEVCCoding(sequence: sequence, picture: picture, units: video + [sequenceUnit, pictureUnit])
    }
  }

  /// The parameter sets of one image.
  struct HEVCCoding {
    let sequence: HEVCSequence
    let picture: HEVCPictureParameters
    /// The sets in the order that a decoder needs.
    let units: [[UInt8]]
  }

  /// A sequence parameter set (7.3.2.2).
  struct HEVCSequence {
    let number: Int
    let video: Int
    let size: PixelSize
    let samples: CodedSamples
    /// The logarithm of a coding tree block's side.
    private let blockBits: Int
    /// The bits of the lower part of a picture's order.
    fileprivate let orderBits: Int
    /// The bits after the depths of transform trees.
    private let rest: ParameterBits

    init(_ unit: [UInt8]) throws(FaceCropError) {
      var bits = ParameterBits(hevc: unit)
      try bits.skip(16)
      video = try bits.number(4)
      let subLayers = try bits.number(3)
      try bits.skip(1 + 88 + 8)
      var flags: [(profile: Int, level: Int)] = []
      for _ in 0..<subLayers { flags.append((try bits.number(1), try bits.number(1))) }
      if subLayers > 0 { try bits.skip(2 * (8 - subLayers)) }
      for flag in flags { try bits.skip(88 * flag.profile + 8 * flag.level) }
      number = try bits.exponential()
      let chroma = try bits.exponential()
      if chroma == 3, try bits.number(1) == 1 { throw .unsupported("the HEVC color planes are coded separately") }
      size = PixelSize(width: try bits.exponential(), height: try bits.exponential())
      if try bits.number(1) == 1 { try bits.skipExponentials(4) }
      let depth = try bits.exponential() + 8
      let chromaDepth = try bits.exponential() + 8
      guard chroma <= 3, (8...12).contains(depth), chroma == 0 ? chromaDepth <= 16 : chromaDepth == depth else {
        throw .unsupported("the HEVC sample format is unknown")
      }
      orderBits = try bits.exponential() + 4
      let isEachOrdered = try bits.number(1) == 1
      try bits.skipExponentials(3 * (isEachOrdered ? subLayers + 1 : 1))
      // The sides of the smallest block and of transforms, and the depth of their trees.
      let least = try bits.exponential() + 3
      blockBits = least + (try bits.exponential())
      let leastTransform = try bits.exponential() + 2
      let mostTransform = leastTransform + (try bits.exponential())
      let treeDepth = max(try bits.exponential(), try bits.exponential())
      // libde265 checks the transforms too, but writes to standard error.
      guard number < 16, orderBits <= 16, (4...6).contains(blockBits), size.width > 0, size.height > 0,
        (size.width | size.height) & (1 << least - 1) == 0, leastTransform <= least, mostTransform <= min(blockBits, 5),
        treeDepth <= blockBits - leastTransform
      else { throw .corrupt("the HEVC sequence is invalid") }
      samples = CodedSamples(chroma: [.monochrome, .YUV420, .YUV422, .YUV444][chroma], depth: depth)
      rest = bits
    }

    func check(largest: PixelSize) throws(FaceCropError) {
      guard size.width <= largest.width, size.height <= largest.height else {
        throw .corrupt("a coded image is \(size.width)×\(size.height), much larger than declared")
      }
    }

    /// The bits of a coding tree block's number.
    var addressBits: Int {
      func blocks(_ side: Int) -> Int { (side - 1) >> blockBits + 1 }
      let last = blocks(size.width) * blocks(size.height) - 1
      return Int.bitWidth - last.leadingZeroBitCount
    }

    /// Returns whether it names no other pictures for references.
    fileprivate func hasNoReferences() throws(FaceCropError) -> Bool {
      var bits = rest
      if try bits.number(1) == 1, try bits.number(1) == 1 { try bits.skipScalingLists() }
      try bits.skip(2)
      if try bits.number(1) == 1 {
        try bits.skip(8)
        try bits.skipExponentials(2)
        try bits.skip(1)
      }
      guard try bits.exponential() == 0 else { return false }
      return try bits.number(1) == 0
    }
  }

  /// A picture parameter set (7.3.2.3), as far as slices need it.
  struct HEVCPictureParameters {
    let number: Int
    let sequence: Int
    fileprivate let hasDependentSlices: Bool
    fileprivate let hasOutputFlag: Bool
    fileprivate let extraBits: Int

    init(_ unit: [UInt8]) throws(FaceCropError) {
      var bits = ParameterBits(hevc: unit)
      try bits.skip(16)
      (number, sequence) = (try bits.exponential(), try bits.exponential())
      guard number < 64, sequence < 16 else { throw .corrupt("HEVC parameters have an invalid number") }
      (hasDependentSlices, hasOutputFlag) = (try bits.number(1) == 1, try bits.number(1) == 1)
      extraBits = try bits.number(3)
    }
  }

  /// The start of a slice header (7.3.6.1).
  struct HEVCSlice {
    let isFirst: Bool
    let pictureParameters: Int
    private let type: Int
    private var bits: ParameterBits

    /// The bytes of a unit that contain the needed fields.
    static let mostHeaderBytes = 64
    private static let immediate = 19...20

    /// Reads the header from the first bytes of a unit.
    init(_ unit: [UInt8]) throws(FaceCropError) {
      bits = ParameterBits(hevc: unit)
      type = HEVCUnitHeader(unit)?.type ?? 0
      // A still image has no references (ISO/IEC 23008-12, B.2.2). libde265 would allocate each referenced picture.
      guard (16...21).contains(type) else { throw .unsupported("the HEVC image is predicted from other images") }
      try bits.skip(16)
      isFirst = try bits.number(1) == 1
      try bits.skip(1)
      pictureParameters = try bits.exponential()
    }

    /// Returns the number of its first coding tree block.
    mutating func address(in coding: HEVCCoding) throws(FaceCropError) -> Int {
      guard pictureParameters == coding.picture.number else {
        throw .corrupt("the slices of an image name different HEVC parameters")
      }
      var (address, isDependent) = (0, false)
      if !isFirst {
        if coding.picture.hasDependentSlices { isDependent = try bits.number(1) == 1 }
        address = try bits.number(coding.sequence.addressBits)
      }
      if !isDependent { try checkReferences(coding) }
      return address
    }

    private mutating func checkReferences(_ coding: HEVCCoding) throws(FaceCropError) {
      try bits.skip(coding.picture.extraBits)
      let intra = 2
      var refersToOthers = try bits.exponential() != intra
      if !Self.immediate.contains(type) {
        try bits.skip((coding.picture.hasOutputFlag ? 1 : 0) + coding.sequence.orderBits)
        // The slice may have its own reference set, which must be empty.
        let set = (try bits.number(1), try bits.exponential(), try bits.exponential())
        let hasNone = try coding.sequence.hasNoReferences()
        refersToOthers = refersToOthers || set != (0, 0, 0) || !hasNone
      }
      if refersToOthers { throw .unsupported("the HEVC image is predicted from other images") }
    }
  }
#endif
