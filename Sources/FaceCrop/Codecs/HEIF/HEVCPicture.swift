#if HEIF
  /// The configuration of an HEVC decoder: the `hvcC` box (ISO/IEC 14496-15, 8.3.3) and its sequence parameter sets
  /// (ITU-T H.265, 7.3.2.2).
  ///
  /// libde265 allocates memory by a parameter set's size, whatever the item's size, so the sets are checked.
  struct HEVCConfiguration {
    let sequence: HEVCSequence
    private let largest: PixelSize
    private let lengthWidth: Int
    private let parameters: HEVCParameterSets

    /// The upper bounds of a configuration's bytes and sequences (7.4.3.2.1). Each tile's configuration must be read.
    private static let mostBytes = 16_384
    private static let mostSequences = 16
    /// The upper bound of parameter sets among an image's own units: every distinct number.
    private static let mostParameterSets = 16 + 16 + 64
    /// The upper bound of slice segments, as in level 6.2 (ITU-T H.265, table A.8).
    static let mostSlices = 600

    /// Reads a configuration. No parameter set may have more than `largest`.
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

    /// Returns the units of one image, each with a length of four bytes. They are a parameter set of each kind, as its
    /// slices name them, and the slices of the base layer's first image.
    ///
    /// libde265 allocates tables of the image's size for each picture parameter set, compares each slice with all
    /// others, and would decode all images. Therefore everything else is dropped: other parameter sets, repeated ones,
    /// and other units.
    ///
    /// The result ends where the data end, and contains the available part of a truncated image.
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
          // Parameter sets after the first slice belong to another image.
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
            for set in known.units { units += [UInt8](bigEndian: set.count) + set }
            coding = known
          }
          let address = try slice.address(in: known)
          guard address > last else { throw .corrupt("the HEVC slices do not follow each other") }
          last = address
          sliceCount += 1
          guard sliceCount <= Self.mostSlices else {
            throw .corrupt("an image has more than \(Self.mostSlices) HEVC slices")
          }
          units += [UInt8](bigEndian: unit.remaining) + unit.rest
        default: continue
        }
      }
      return units
    }

    /// The bytes that libde265 needs for the maximum number of slice headers, each with the positions of its rows.
    var sliceBytes: Int { Self.mostSlices * (3_072 + sequence.size.height) }

    private func check(_ other: HEVCSequence) throws(FaceCropError) {
      try other.check(largest: largest)
      // The memory was computed from the configuration's values.
      guard other.samples == sequence.samples else {
        throw .corrupt("the coded image differs from its HEVC configuration")
      }
    }
  }
#endif
