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
