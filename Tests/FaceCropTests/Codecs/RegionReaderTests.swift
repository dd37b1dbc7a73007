import TestSupport
import Testing

@testable import FaceCrop

/// Names of people in XMP packets and `.picasa.ini`. The texts have the forms that Lightroom, digiKam, Windows, ACDSee
/// and Picasa write.
@Suite struct RegionReaderTests {
  private static let rdf = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
  private static let mwg =
    "xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/' xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#' xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#'"

  private static func packet(_ namespaces: String, _ content: String) -> [UInt8] {
    Array(
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \(rdf)><rdf:Description rdf:about='' \(namespaces)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>"
        .utf8)
  }

  /// Attributes, as Lightroom writes them.
  private static func lightroom(_ size: String = "stDim:w='300' stDim:h='200'", name: String = "Anna") -> [UInt8] {
    packet(
      mwg,
      "<mwg-rs:Regions rdf:parseType='Resource'><mwg-rs:AppliedToDimensions \(size) stDim:unit='pixel'/><mwg-rs:RegionList><rdf:Bag><rdf:li><rdf:Description mwg-rs:Name='\(name)' mwg-rs:Type='Face'><mwg-rs:Area stArea:x='0.3' stArea:y='0.4' stArea:w='0.2' stArea:h='0.4' stArea:unit='normalized'/></rdf:Description></rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>"
    )
  }

  private static let picture = PixelSize(width: 300, height: 200)

  private static func regions(
    _ packet: [UInt8], _ size: PixelSize = picture, _ orientation: Orientation = .up
  ) throws -> [FaceRegion] {
    try RegionReader.read(packet, Job.forTests()).regions(of: size, orientation)
  }

  private static func isNear(_ box: NormalizedRect, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Bool
  {
    abs(box.x - x) + abs(box.y - y) + abs(box.width - width) + abs(box.height - height) < 1e-4
  }

  @Test func everySchemaIsRead() throws {
    // Elements and a nested resource, as digiKam writes them.
    let digikam = Self.packet(
      Self.mwg,
      "<mwg-rs:Regions><rdf:Description><mwg-rs:AppliedToDimensions rdf:parseType='Resource'><stDim:w>300</stDim:w><stDim:h>200</stDim:h><stDim:unit>pixel</stDim:unit></mwg-rs:AppliedToDimensions><mwg-rs:RegionList><rdf:Bag><rdf:li rdf:parseType='Resource'><mwg-rs:Name>Anna</mwg-rs:Name><mwg-rs:Type>Face</mwg-rs:Type><mwg-rs:Area rdf:parseType='Resource'><stArea:x>0.3</stArea:x><stArea:y>0.4</stArea:y><stArea:w>0.2</stArea:w><stArea:h>0.4</stArea:h></mwg-rs:Area></rdf:li><rdf:li rdf:parseType='Resource'><mwg-rs:Name>Rex</mwg-rs:Name><mwg-rs:Type>Pet</mwg-rs:Type><mwg-rs:Area stArea:x='0.5' stArea:y='0.5' stArea:w='0.1' stArea:h='0.1'/></rdf:li></rdf:Bag></mwg-rs:RegionList></rdf:Description></mwg-rs:Regions>"
    )
    let microsoft = Self.packet(
      "xmlns:MP='http://ns.microsoft.com/photo/1.2/' xmlns:MPRI='http://ns.microsoft.com/photo/1.2/t/RegionInfo#' xmlns:MPReg='http://ns.microsoft.com/photo/1.2/t/Region#'",
      "<MP:RegionInfo rdf:parseType='Resource'><MPRI:Regions><rdf:Bag><rdf:li MPReg:Rectangle='0.2, 0.2, 0.2, 0.4' MPReg:PersonDisplayName='Anna'/></rdf:Bag></MPRI:Regions></MP:RegionInfo>"
    )
    let iptc = Self.packet(
      "xmlns:Iptc4xmpExt='http://iptc.org/std/Iptc4xmpExt/2008-02-29/'",
      "<Iptc4xmpExt:ImageRegion><rdf:Bag><rdf:li rdf:parseType='Resource'><Iptc4xmpExt:RegionBoundary rdf:parseType='Resource'><Iptc4xmpExt:rbShape>rectangle</Iptc4xmpExt:rbShape><Iptc4xmpExt:rbUnit>pixel</Iptc4xmpExt:rbUnit><Iptc4xmpExt:rbX>60</Iptc4xmpExt:rbX><Iptc4xmpExt:rbY>40</Iptc4xmpExt:rbY><Iptc4xmpExt:rbW>60</Iptc4xmpExt:rbW><Iptc4xmpExt:rbH>80</Iptc4xmpExt:rbH></Iptc4xmpExt:RegionBoundary><Iptc4xmpExt:PersonInImage><rdf:Bag><rdf:li>Anna</rdf:li></rdf:Bag></Iptc4xmpExt:PersonInImage></rdf:li></rdf:Bag></Iptc4xmpExt:ImageRegion>"
    )
    let acdsee = Self.packet(
      "xmlns:acdsee-rs='http://ns.acdsee.com/regions/' xmlns:acdsee-stDim='http://ns.acdsee.com/sType/Dimensions#' xmlns:acdsee-stArea='http://ns.acdsee.com/sType/Area#'",
      "<acdsee-rs:Regions rdf:parseType='Resource'><acdsee-rs:AppliedToDimensions acdsee-stDim:w='300' acdsee-stDim:h='200' acdsee-stDim:unit='pixel'/><acdsee-rs:RegionList><rdf:Bag><rdf:li><rdf:Description acdsee-rs:Type='Face' acdsee-rs:Name='Anna'><acdsee-rs:DLYArea acdsee-stArea:x='0.3' acdsee-stArea:y='0.4' acdsee-stArea:w='0.2' acdsee-stArea:h='0.4'/><acdsee-rs:ALGArea acdsee-stArea:x='0.9' acdsee-stArea:y='0.9' acdsee-stArea:w='0.1' acdsee-stArea:h='0.1'/></rdf:Description></rdf:li></rdf:Bag></acdsee-rs:RegionList></acdsee-rs:Regions>"
    )
    for (packet, source) in [
      (Self.lightroom(), FaceRegion.Source.mwg), (digikam, .mwg), (microsoft, .microsoft), (iptc, .iptc),
      (acdsee, .acdsee),
    ] {
      let regions = try Self.regions(packet)
      #expect(regions.count == 1 && regions[0].name == "Anna" && regions[0].source == source, "\(source)")
      #expect(regions.allSatisfy { Self.isNear($0.box, 0.2, 0.2, 0.2, 0.4) }, "\(source): \(regions)")
    }
  }

  /// Coordinates refer to the image as stored. Each orientation displays the same pixels as for a crop.
  @Test(arguments: Orientation.allCases) func orientationsAreApplied(orientation: Orientation) throws {
    let region = try #require(try Self.regions(Self.lightroom(), Self.picture, orientation).first)
    let stored = PixelRect(x: 60, y: 40, width: 60, height: 80)
    let shown = orientation.displayed(stored, in: Self.picture).normalized(in: orientation.applied(to: Self.picture))
    #expect(Self.isNear(region.box, shown.x, shown.y, shown.width, shown.height), "\(region.box), \(shown)")
    let back = orientation.stored(region.box)
    #expect(Self.isNear(back, 0.2, 0.2, 0.2, 0.4))
  }

  /// Regions of another shape are skipped; those of another size with the same shape count.
  @Test func dimensionsDecide() throws {
    #expect(try Self.regions(Self.lightroom("stDim:w='6000' stDim:h='4000'")).count == 1)
    #expect(try Self.regions(Self.lightroom("stDim:w='200' stDim:h='200'")).isEmpty)
    // Drawn on the image as displayed.
    let drawn = try Self.regions(Self.lightroom("stDim:w='200' stDim:h='300'"), Self.picture, .right)
    #expect(drawn.count == 1 && drawn.allSatisfy { Self.isNear($0.box, 0.2, 0.2, 0.2, 0.4) })
  }

  /// Whatever a packet has, the number of regions is bounded, and each lies in the image.
  @Test func hostilePacketsAreBounded() throws {
    let item =
      "<rdf:li><rdf:Description mwg-rs:Name='A' mwg-rs:Type='Face'><mwg-rs:Area stArea:x='0.5' stArea:y='0.5' stArea:w='9' stArea:h='9'/></rdf:Description></rdf:li>"
    let many = Self.packet(
      Self.mwg,
      "<mwg-rs:Regions><mwg-rs:RegionList><rdf:Bag>\(String(repeating: item, count: 700))</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>"
    )
    let reader = try RegionReader.read(many, Job.forTests())
    #expect(reader.items.count == FaceRegion.most && reader.isCut)
    #expect(reader.regions(of: Self.picture, .up).allSatisfy { $0.box.isValid })
    for number in ["nan", "inf", "1e300", "-5", ""] {
      let bad = Self.lightroom("stDim:w='\(number)' stDim:h='\(number)'")
      #expect(try Self.regions(bad).allSatisfy { $0.box.isValid })
    }
    #expect(try Self.regions(Self.lightroom(name: String(repeating: "x", count: 2_000)))[0].name == nil)
    #expect(try Self.regions(Array("<a>".utf8)).isEmpty)
  }

  @Test func picasaIsRead() throws {
    let file = """
      [Picasa]\r
      name=trip\r
      [IMG_1.JPG]\r
      faces=rect64(3333333366669999),8e62;rect64(1),8e62;rect64(zz),1;rect64(0000000080008000),ffffffffffffffff\r
      backuphash=1\r
      [Contacts2]\r
      8e62=Anna Smith;;\r
      """
    let picasa = PicasaINI(Array(file.utf8))
    let regions = picasa.regions(of: "img_1.jpg")
    #expect(regions.map(\.name) == ["Anna Smith", nil])
    #expect(Self.isNear(regions[0].box, 0.2, 0.2, 0.2, 0.4))
    #expect(picasa.regions(of: "other.jpg").isEmpty && PicasaINI([0xFF, 0x5B]).regions(of: "").isEmpty)
  }

  /// Each face gets the name that overlaps it most, and a region without a face stands for one.
  @Test func facesGetNames() {
    func face(_ x: Double) -> Face {
      Face(box: NormalizedRect(x: x, y: 0.2, width: 0.1, height: 0.2), score: 0.9)
    }
    func region(_ name: String?, _ x: Double) -> FaceRegion {
      FaceRegion(name: name, box: NormalizedRect(x: x, y: 0.18, width: 0.12, height: 0.26), source: .mwg)
    }
    let found = [face(0.1), face(0.3)]
    let named = FaceRegion.named(
      found, by: [region("Ben", 0.3), region("Anna", 0.09), region(nil, 0.3), region("Cleo", 0.8), region("anna", 0.1)])
    #expect(named.map(\.name) == ["Anna", "Ben", "Cleo"])
    #expect(named[2].score == 0 && named[2].detectors == ["region"] && named[2].box.x == 0.8)
    #expect(FaceSelection.person("ben ").groups(of: named) == [[1]])
    #expect(FaceSelection.person("Dora").groups(of: named).isEmpty)
    #expect(FaceSelection.tagged.groups(of: named) == [[0, 1, 2]] && FaceSelection.tagged.groups(of: found).isEmpty)
  }

  /// A written packet reads back, whatever the orientation.
  @Test(arguments: Orientation.allCases) func writtenPacketsReadBack(orientation: Orientation) throws {
    let box = NormalizedRect(x: 0.2, y: 0.3, width: 0.25, height: 0.15)
    let shown = orientation.applied(to: Self.picture)
    let detection = Detection(
      size: shown, orientation: orientation, detector: "stub",
      faces: [Face(box: box, score: 1, name: "A & \"B\" <C>"), Face(box: box, score: 1)], warnings: [], path: .index)
    let regions = try Self.regions(RegionPacket.written(detection), Self.picture, orientation)
    #expect(regions.map(\.name) == ["A & \"B\" <C>", nil])
    #expect(regions.allSatisfy { Self.isNear($0.box, box.x, box.y, box.width, box.height) })
  }

  /// The person is framed: by the detected face, or by the region where no face is found.
  @Test func personsAreFramed() async throws {
    let faces = [0.1, 0.6].map { Face(box: NormalizedRect(x: $0, y: 0.2, width: 0.2, height: 0.3), score: 0.9) }
    let cropper = FaceCropper(detector: StubDetector(found: faces))
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(.testPattern(width: 300, height: 200)))
    func plan(_ selection: FaceSelection, noFace: NoFacePolicy = .skip) async throws -> CropPlan {
      let others = [
        FaceRegion(name: "Anna", box: NormalizedRect(x: 0.58, y: 0.15, width: 0.24, height: 0.4), source: .picasa),
        FaceRegion(name: "Ben", box: NormalizedRect(x: 0.4, y: 0.7, width: 0.1, height: 0.2), source: .picasa),
      ]
      return try await cropper.plan(
        for: source,
        search: FaceSearch(faces: selection, noFace: noFace, regions: RegionSources(others: others)))
    }
    let anna = try await plan(.person("anna"))
    #expect(anna.crops.count == 1 && anna.faces[anna.crops[0].faces[0]].name == "Anna")
    #expect(abs(anna.crops[0].region.x - 0.6) < 0.02)
    let ben = try await plan(.person("Ben"))
    #expect(ben.crops.count == 1 && abs(ben.crops[0].region.x - 0.4) < 0.02)
    #expect(try await plan(.person("Cleo")).crops.isEmpty)
    #expect(try await plan(.tagged).crops[0].faces.count == 2)
    // Other selections neither read names nor see regions.
    #expect(try await plan(.union).faces.count == 2)
  }
}
