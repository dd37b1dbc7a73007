#if HEIF
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// The units that libde265 gets: one parameter set of each kind, and consecutive slices.
  @Suite struct HEVCUnitsTests {
    private static let pattern = Pixels.testPattern(width: 192, height: 128)

    private static func configuration(_ item: CodedItem) throws -> HEVCConfiguration {
      try HEVCConfiguration(
        ByteReader(Array(item.configuration.dropFirst(8))),
        largest: PixelSize(width: item.width + 64, height: item.height + 64))
    }

    /// Returns a decoder's input for an item.
    private static func given(_ item: CodedItem, job: Job = .forTests()) throws -> [UInt8] {
      try configuration(item).units(ofFirstPicture: item.data, job)
    }

    private static func kind(of item: CodedItem) -> String? {
      do {
        _ = try given(item)
        return nil
      } catch {
        return (error as? FaceCropError)?.kind
      }
    }

    /// Units of all other kinds are dropped, in the item and its configuration, before the image and among its slices.
    @Test(arguments: HEVCUnits.Kind.allCases.filter { $0.rawValue > 31 })
    func otherUnitsAreLeftOut(kind: HEVCUnits.Kind) throws {
      let item = try CodedItem(Self.pattern)
      let whole = try Self.given(item)
      let units = HEVCUnits(item)
      let isSet = (HEVCUnits.Kind.video.rawValue...HEVCUnits.Kind.picture.rawValue).contains(kind.rawValue)
      let unit = isSet ? units.parameters(kind) : HEVCUnits.unit(kind) { $0.put(0x0501_7880, 32) }
      for count in [1, 90] {
        let many = [[UInt8]](repeating: unit, count: count)
        for change: (inout HEVCUnits) -> Void in [
          { $0.units = many + $0.units }, { $0.units += many },
          { $0.parameters += kind == .sequence ? Array(many.prefix(15)) : many },
        ] {
          var (changed, units) = (item, units)
          change(&units)
          units.put(into: &changed)
          #expect(try Self.given(changed) == whole)
        }
      }
    }

    @Test func onlyTheParametersThatSlicesNameAreHandedOn() throws {
      let item = try CodedItem(Self.pattern)
      let whole = try Self.given(item)
      let others = (1..<64).map(HEVCUnits.pictureParameters)
      for isInside in [false, true] {
        var (changed, units) = (item, HEVCUnits(item))
        if isInside { units.units = others + units.units } else { units.parameters += others }
        units.put(into: &changed)
        #expect(try Self.given(changed) == whole)
        let region = try withSession(HEIFBuilder(changed).encoded()) { (session) throws(FaceCropError) in
          try session.region(PixelRect(x: 0, y: 0, width: 192, height: 128))
        }
        #expect(region.size.width == 192)
      }
    }

    @Test func parameterSetsAreCounted() throws {
      var item = try CodedItem(Self.pattern)
      var units = HEVCUnits(item)
      units.units = [[UInt8]](repeating: units.parameters(.picture), count: 97) + units.units
      units.put(into: &item)
      #expect(Self.kind(of: item) == "corrupt")
    }

    /// Each slice costs libde265 a walk over all slices, and some kilobytes.
    @Test func slicesFollowEachOther() throws {
      // Blocks of 64 × 64 or smaller: at least 1,024 of them.
      let gray = [UInt8](repeating: 9, count: 2_048 * 2_048)
      var item = try CodedItem(Pixels(width: 2_048, height: 2_048, channels: 1, samples: gray))
      let bits = try Self.configuration(item).sequence.addressBits
      #expect(bits >= 10)
      let units = HEVCUnits(item)
      #expect(units.units.count == 1)
      func kind(_ slices: [[UInt8]]) -> String? {
        var changed = units
        changed.units += slices
        changed.put(into: &item)
        return Self.kind(of: item)
      }
      let slices = (1...600).map { HEVCUnits.slice(address: $0, bits) }
      #expect(kind(Array(slices.dropLast())) == nil)
      #expect(kind(slices) == "corrupt")
      #expect(kind([slices[5], slices[5]]) == "corrupt")
      #expect(kind([slices[7], slices[3]]) == "corrupt")
    }

    /// libde265 would make each image that another one refers to.
    @Test func imagesReferToNoOthers() throws {
      let item = try CodedItem(Self.pattern)
      let bits = try Self.configuration(item).sequence.addressBits
      for slice in [
        HEVCUnits.slice(address: 0, bits, type: 1), HEVCUnits.slice(.trailing, address: 0, bits),
        HEVCUnits.slice(.cra, address: 0, bits), HEVCUnits.slice(.reserved, address: 0, bits),
      ] {
        var (changed, units) = (item, HEVCUnits(item))
        units.units = [slice]
        units.put(into: &changed)
        #expect(Self.kind(of: changed) == "unsupported")
      }
    }

    /// The estimated memory depends on the configuration.
    @Test func samplesAreThoseOfTheConfiguration() throws {
      var item = try CodedItem(Self.pattern)
      let other = HEVCUnits(try CodedItem(Self.pattern, chroma: "444"))
      var units = HEVCUnits(item)
      units.units = other.parameters + other.units
      units.put(into: &item)
      #expect(Self.kind(of: item) == "corrupt")
    }

    @Test func eachUnitIsAStep() throws {
      var item = try CodedItem(Self.pattern)
      var units = HEVCUnits(item)
      units.units = [[UInt8]](repeating: HEVCUnits.unit(.information) { $0.put(0, 32) }, count: 1_000) + units.units
      units.put(into: &item)
      let job = Job.forTests()
      _ = try Self.given(item, job: job)
      #expect((1_000...1_010).contains(job.cancellation.steps))
      job.cancellation.cancel()
      #expect(throws: FaceCropError.cancelled) { try Self.given(item, job: job) }
    }

    /// A call for each whole unit takes libde265 seconds for this one.
    @Test func stuffingTakesLinearTime() throws {
      var item = try CodedItem(.testPattern(width: 768, height: 768))
      let expected = try decoded(HEIFBuilder(item).encoded())
      var units = HEVCUnits(item)
      units.units[units.units.count - 1] += (0..<400_000).flatMap { _ in [0, 0, 3] as [UInt8] }
      units.put(into: &item)
      let file = HEIFBuilder(item).encoded()
      var pixels: Pixels?
      let time = try processorTime { pixels = try decoded(file) }
      #expect(pixels == expected)
      #expect(time < 3, "seconds, in a build for tests")
    }

    /// A start code would begin a unit that nobody has checked.
    @Test func unitsHaveNoStartCode() throws {
      var item = try CodedItem(Self.pattern)
      var units = HEVCUnits(item)
      units.units[units.units.count - 1] += [0, 0, 1, HEVCUnits.Kind.endOfSequence.rawValue << 1, 1]
      units.put(into: &item)
      #expect(throws: FaceCropError.corrupt("an HEVC unit contains a start code")) {
        try decoded(HEIFBuilder(item).encoded())
      }
    }

    /// libde265 refuses such sequences too, but writes about them to standard error.
    @Test func blocksOfASequenceFitEachOther() {
      func isRead(
        width: Int = 64, chroma: Int = 1, chromaDepth: Int = 8, blocks: [Int] = [0, 3], transforms: [Int] = [0, 3],
        depths: [Int] = [4, 4]
      ) -> Bool {
        let unit = HEVCUnits.unit(.sequence) { bits in
          bits.put(0, 8)
          for _ in 0..<3 { bits.put(0x5555_5555, 32) }
          for number in [0, chroma, width, 64] { bits.putExponential(number) }
          bits.put(0, 1)
          for number in [0, chromaDepth - 8, 4] { bits.putExponential(number) }
          bits.put(1, 1)
          for number in [0, 0, 0] + blocks + transforms + depths { bits.putExponential(number) }
          bits.put(0xFFFF, 16)
        }
        return (try? HEVCSequence(unit)) != nil
      }
      #expect(isRead())
      #expect(isRead(width: 72) && !isRead(width: 68) && !isRead(width: 72, blocks: [1, 2]))
      // The side of the smallest transform, and of the largest one.
      #expect(isRead(transforms: [1, 2], depths: [3, 3]) && !isRead(transforms: [2, 1], depths: [2, 2]))
      #expect(!isRead(transforms: [0, 4]) && !isRead(blocks: [0, 1], depths: [2, 2]))
      #expect(!isRead(depths: [5, 4]) && !isRead(depths: [4, 5]))
      #expect(isRead(chroma: 0, chromaDepth: 10) && !isRead(chroma: 0, chromaDepth: 17))
    }

    @Test func unitsOfAV1AreCounted() throws {
      let item = try CodedItem(Self.pattern, codec: .av1)
      func outcome(_ count: Int) -> String? {
        var changed = item
        // Padding of no bytes.
        changed.data = (0..<count).flatMap { _ in [0x7A, 0] as [UInt8] } + item.data
        let file = HEIFBuilder(changed).encoded()
        do {
          _ = try withSession(file) { (session) throws(FaceCropError) in
            try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
          }
          return nil
        } catch {
          return (error as? FaceCropError)?.kind
        }
      }
      #expect(outcome(8_000) == nil)
      #expect(outcome(8_193) == "corrupt")
    }
  }
#endif
