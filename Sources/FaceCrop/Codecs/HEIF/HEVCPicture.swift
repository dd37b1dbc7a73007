#if HEIF
  /// The configuration of an HEVC decoder: the `hvcC` box (ISO/IEC 14496-15, 8.3.3) and its sequence parameter sets (ITU-T H.265,
  /// 7.3.2.2).
  ///
  /// libde265 takes memory by a parameter set's size, whatever the file says of the item's.
  struct HEVCConfiguration {
    /// What the first parameter set says.
    let sequence: HEVCSequence
    private let largest: PixelSize
    private let lengthWidth: Int
    private let parameters: HEVCParameterSets

    /// Bytes of a configuration, and sequences in it (7.4.3.2.1): every tile has one to be read.
    private static let mostBytes = 16_384
    private static let mostSequences = 16
    /// Parameter sets among an image's own units: all that have a number of their own.
    private static let mostParameterSets = 16 + 16 + 64
    /// Slice segments of a picture: as many as level 6.2 allows (ITU-T H.265, table A.8).
    static let mostSlices = 600

    /// - Parameter largest: what a parameter set may ask for.
    init(_ box: ByteReader, largest: PixelSize) throws(FaceCropError) {
      var box = box
      guard box.remaining <= Self.mostBytes else { throw .corrupt("the HEVC configuration is too long") }
      self.largest = largest
      _ = try box.part(21)
      lengthWidth = try box.number(1) & 3 + 1
      var sequence: HEVCSequence?
      var parameters = HEVCParameterSets()
      var count = 0
      for _ in 0..<(try box.number(1)) {
        _ = try box.number(1)
        for _ in 0..<(try box.number(2)) {
          let unit = try box.part(try box.number(2)).rest
          guard let header = HEVCUnitHeader(unit), header.layer == 0, HEVCUnitHeader.parameterSets ~= header.type else {
            continue
          }
          try parameters.take(unit)
          guard header.type == HEVCUnitHeader.sequenceParameters else { continue }
          count += 1
          guard count <= Self.mostSequences else { throw .corrupt("the HEVC configuration has too many sequences") }
          let found = try HEVCSequence(unit)
          try found.check(largest: largest)
          sequence = sequence ?? found
        }
      }
      guard let sequence else { throw .corrupt("the HEVC configuration does not describe the image") }
      self.sequence = sequence
      self.parameters = parameters
    }

    /// What one image consists of, each unit behind its length of four bytes: a parameter set of each kind, those that its slices
    /// name, and the slices of the base layer's first picture.
    ///
    /// libde265 makes tables of the image's size for each set of picture parameters, goes over all slices for each slice, and would
    /// decode all pictures there are. So everything else is left out: other parameter sets, repeated ones, and units that are neither.
    ///
    /// Ends where the data end, so that what a truncated file has of the picture is left.
    func units(ofFirstPicture data: [UInt8], _ job: Job) throws(FaceCropError) -> [UInt8] {
      var parameters = parameters
      var setCount = 0
      var coding: HEVCCoding?
      var units: [UInt8] = []
      units.reserveCapacity(Self.mostBytes + data.count)
      var (last, sliceCount) = (-1, 0)
      var reader = ByteReader(data)
      while reader.remaining > lengthWidth {
        try job.step()
        let unit = try reader.part(try reader.number(lengthWidth))
        guard let header = HEVCUnitHeader(unit.start(3)), header.layer == 0 else { continue }
        switch header.type {
        case HEVCUnitHeader.parameterSets:
          // Those behind the first slice are of another picture.
          guard coding == nil else { continue }
          setCount += 1
          guard setCount <= Self.mostParameterSets else {
            throw .corrupt("an image has more than \(Self.mostParameterSets) HEVC parameter sets")
          }
          try parameters.take(unit.rest)
        case HEVCUnitHeader.pictures:
          var slice = try HEVCSlice(unit.start(HEVCSlice.mostHeaderBytes))
          if coding != nil, slice.isFirst { return units }
          let known: HEVCCoding
          if let coding {
            known = coding
          } else {
            known = try parameters.coding(of: slice)
            try check(known.sequence)
            for set in known.units { units += Self.length(set.count) + set }
            coding = known
          }
          let address = try slice.address(in: known)
          guard address > last else { throw .corrupt("the HEVC slices do not follow each other") }
          last = address
          sliceCount += 1
          guard sliceCount <= Self.mostSlices else {
            throw .corrupt("an image has more than \(Self.mostSlices) HEVC slices")
          }
          units += Self.length(unit.remaining) + unit.rest
        default: continue
        }
      }
      return units
    }

    /// Bytes that libde265 takes for the most slices' headers, each with the places of its rows.
    var sliceBytes: Int { Self.mostSlices * (3_072 + sequence.size.height) }

    private func check(_ other: HEVCSequence) throws(FaceCropError) {
      try other.check(largest: largest)
      // Memory was counted by the configuration's.
      guard other.chroma == sequence.chroma, other.depth == sequence.depth else {
        throw .corrupt("the coded image differs from its HEVC configuration")
      }
    }

    /// As libde265's shim takes it.
    private static func length(_ count: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }
  }

  /// The configurations of a file's items, each read once, however many items it is said of.
  struct HEVCConfigurations {
    private struct Key: Hashable {
      var number: Int
      var largest: PixelSize
    }

    private var read: [Key: HEVCConfiguration] = [:]

    /// - Parameter number: the property's, in the file.
    mutating func configuration(
      _ box: ByteReader, number: Int, largest: PixelSize
    ) throws(FaceCropError) -> HEVCConfiguration {
      let key = Key(number: number, largest: largest)
      if let known = read[key] { return known }
      let configuration = try HEVCConfiguration(box, largest: largest)
      read[key] = configuration
      return configuration
    }
  }
#endif
