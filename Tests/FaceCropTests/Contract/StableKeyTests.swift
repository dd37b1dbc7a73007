import Foundation
import Testing

@testable import FaceCrop

/// Names of cached files and of a batch's outputs survive changes of the source code.
@Suite struct StableKeyTests {
  /// A request whose optional values are all set.
  private static let full = CropRequest(
    search: with(
      FaceSearch(
        faces: .number(2), noFace: .center, smallestFace: .fraction(0.05), order: .size, upright: .auto,
        animation: .best, findsAllFaces: true)
    ) { ($0.mostFaces, $0.findsMeshes, $0.measuresFinely) = (3, true, true) },
    composition: Composition(
      .framing(
        with(.passport) { $0.largestPaddedShare = 0.25 },
        padding: Padding(top: 0.5, right: 0.25, bottom: 0, left: -0.0), edge: .pad),
      alignsEyes: true),
    output: CropOutput(
      sizes: [.longSide(512), .exact(width: 3, height: 4)], smallestSide: 2, shape: .circle,
      fill: .color(red: 1, green: 2, blue: 3), color: .keep, metadata: .copyright, gainMap: .drop, resolution: 300,
      sidecar: [65],
      background: Background(
        .image(BackgroundImage(bytes: [66], memory: 1)), keepsPeople: true, failsIfUnsure: true)),
    allowsDamage: true)

  private static let template = FaceTemplate(
    name: "a", size: PixelSize(width: 3, height: 4), points: [FaceTemplate.Point(x: 1, y: 2)], fit: .image)

  private static let requests: [ImageRequest] = {
    var options = with(ImageRequestOptions()) {
      $0.crop = .faces(full); $0.encoding = ImageEncoding(.avif(quality: 60))
    }
    options.encoding?.allowsOtherFormats = true
    options.deliveryMode = .fast
    return [
      ImageRequest(.file("a.jpg")),
      ImageRequest(.file("a.jpg"), targetSize: PixelSize(width: 1, height: 2), options: options),
    ]
  }()

  /// A renamed or reordered field changes these texts, and drops everybody's cache. Raise ``StableKey/version`` only if
  /// a field changes its meaning.
  @Test func textsAreTheGoldenOnes() {
    #expect(
      StableKey(CropRequest()).text
        == "search(faces(union)no-face(whole)smallest(-)order(left)regions(sidecar(-)others())upright(off))"
        + "composition(layout(facespadding(top(0.0)right(0.0)bottom(0.0)left(0.0))aspect(-))level(no))"
        + "output(sizes()enlarge(no)smallest-side(1)shape(rectangle)fill(edge)color(srgb)metadata(strip)"
        + "gain-map(automatic)resolution(-)printed-size(no)sidecar(-))damage(no)")
    #expect(
      StableKey(Self.full).text
        == "search(faces(number(2))no-face(center)smallest(part(0.05))order(size)regions(sidecar(-)others())upright(auto)most(3)animation(best)all-faces(yes)meshes(yes)fine(yes))"
        + "composition(layout(framing(face(0.61)largest-face(0.65)eyes(0.48)headroom(0.08)aspect(width(35.0)height(45.0))"
        + "standard(passport)largest-padded(0.25))"
        + "padding(top(0.5)right(0.25)bottom(0.0)left(0.0))edge(pad))level(yes))"
        + "output(sizes((long-side(512))(exact((3)(4))))enlarge(no)smallest-side(2)shape(circle)fill(color((1)(2)(3)))"
        + "color(keep)metadata(copyright)gain-map(drop)resolution(300.0)printed-size(no)sidecar(64:"
        + "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd)"
        + "background(fill(image(64:df7e70e5021544f4834bbee64a9e3789febc4be81470df629cad6ddb03320a5c))people(yes)fail(yes)))damage(yes)"
    )
    #expect(
      StableKey(BlurRequest()).text
        == "mode(blur)shape(ellipse)margin(0.3)faces(all)smallest(-)metadata(keep)location(no)damage(no)sidecar(-)")
    let blur = BlurRequest(
      mode: .solid, shape: .head, margin: 0.5, faces: .only([10, 2, 9]), smallestFace: .pixels(7), metadata: .strip,
      keepsLocation: true, allowsDamage: true, sidecar: [65])
    #expect(
      StableKey(blur).text
        == "mode(solid)shape(head)margin(0.5)faces(only((2)(9)(10)))smallest(pixels(7))metadata(strip)location(yes)"
        + "damage(yes)sidecar(64:"
        + "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd)")
    let key = RequestKey(Self.requests[1], AssetVersion(id: ImageAsset.ID(rawValue: "a")))
    #expect(
      StableKey(key).text
        == "target(width(1)height(2))mode(fit)crop(faces(\(StableKey(Self.full).text)))resize(exact)fast(yes)"
        + "enlarge(no)cut(no)version(current)color(srgb)"
        + "encoding(formats((avifquality(60)subsampling(automatic)speed(7)))others(yes))")
    #expect(StableKey.version == 1)
  }

  /// The text in the documentation is that of a request.
  @Test func theDocumentedTextIsReal() throws {
    let file = DocumentationTests.root.appending(path: "Sources/FaceCrop/Contract/StableKey.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let example = try #require(source.firstMatch(of: /`CropRequest\(\)` begins with\n\/\/\/ `([^`]+)`/)).1
    #expect(example.contains("no-face(") && StableKey(CropRequest()).text.hasPrefix(example))
  }

  /// A renamed case keeps its name in keys.
  @Test func namesOfCasesAreTheGoldenOnes() {
    func texts(_ values: [some StableKeyed]) -> [String] { values.map { StableKey($0).text } }
    #expect(texts(NoFacePolicy.allCases) == ["whole", "center", "attention", "maybe", "person", "skip", "fail"])
    #expect(texts(FaceOrder.allCases) == ["left", "confidence", "size"])
    #expect(texts(UprightPolicy.allCases) == ["off", "auto"])
    #expect(texts(AnimationPolicy.allCases) == ["first", "best", "keep"])
    #expect(texts(BlurMode.allCases) == ["blur", "pixelate", "solid", "image"])
    #expect(texts(BlurShape.allCases) == ["ellipse", "box", "head"])
    #expect(texts([HiddenFaces.all, .only([2, 1])]) == ["all", "only((1)(2))"])
    #expect(texts(ColorPolicy.allCases) == ["srgb", "keep"])
    #expect(texts(MetadataPolicy.allCases) == ["strip", "copyright", "keep"])
    #expect(texts(GainMapPolicy.allCases) == ["automatic", "keep", "drop", "other-format"])
    #expect(texts(PhotoStandard.allCases) == PhotoStandard.allCases.map(\.rawValue))
    #expect(texts([PhotoStandard.passport, .visaUS]) == ["passport", "visa:us"])
    #expect(texts(ChromaSubsampling.allCases) == ["automatic", "4:4:4", "4:2:2", "4:2:0"])
    #expect(
      texts([FaceSelection.union, .prominent, .largest, .sharpest, .central, .each, .number(3), .person("A"), .tagged])
        == ["union", "prominent", "largest", "sharpest", "central", "each", "number(3)", "person(1:A)", "tagged"])
    #expect(texts([EdgePolicy.shift, .pad]) == ["shift", "pad"])
    #expect(
      texts([Composition.Layout.heads(aspect: .square), .fill(), .template(Self.template)]) == [
        "headspadding(top(0.0)right(0.0)bottom(0.0)left(0.0))aspect(width(1.0)height(1.0))", "fill(-)",
        "template(name(1:a)size((3)(4))points((x(1.0)y(2.0)))fit(image)border(color((0)(0)(0))))",
      ])
    #expect(texts([CropShape.rectangle, .circle]) == ["rectangle", "circle"])
    #expect(
      texts([Background.Fill.blur(0.5), .transparent, .color(.white)])
        == ["blur(0.5)", "transparent", "color((255)(255)(255))"])
    #expect(texts([PadFill.edge, .blur]) == ["edge", "blur"])
    #expect(texts([FaceTemplate.Border.edge, .mirror]) == ["edge", "mirror"])
    #expect(texts(FaceTemplate.Fit.allCases) == ["output", "image", "ffhq"])
    #expect(texts([OutputSize.width(1), .height(2)]) == ["width(1)", "height(2)"])
    #expect(
      texts([OutputSize.fit(PixelSize(width: 3, height: 4)), .cover(PixelSize(width: 3, height: 4))])
        == ["fit(width(3)height(4))", "cover(width(3)height(4))"])
    #expect(
      texts([OutputSize.filling(.square, longSide: 5)]) == ["filling(width(1.0)height(1.0))long-side(5)"])
    #expect(texts([FaceHeight.pixels(7)]) == ["pixels(7)"])
    #expect(texts([ContentMode.aspectFit, .aspectFill]) == ["fit", "fill"])
    #expect(texts([ResizeMode.none, .fast, .exact]) == ["none", "fast", "exact"])
    #expect(texts([ImageVersion.current, .original]) == ["current", "original"])
    #expect(
      texts([OutputFormat.jpeg(quality: 1), .png, .webp(quality: 2), .webpLossless, .tiff, .gif])
        == [
          "jpegquality(1)subsampling(automatic)progressive(no)", "png", "webpquality(2)", "webp-lossless", "tiff",
          "gif",
        ])
  }

  /// Every stored property has a field, in the request and in every value in it.
  @Test func noPropertyIsForgotten() {
    func check(_ value: any StableKeyed, but excluded: Int = 0) {
      let children = Mirror(reflecting: value).children
      if Mirror(reflecting: value).displayStyle == .struct {
        #expect(StableKey(value).fieldCount == children.count - excluded, "\(type(of: value))")
      }
      for child in children {
        if let keyed = unwrapped(child.value) as? any StableKeyed { check(keyed) }
      }
    }
    func unwrapped(_ value: Any) -> Any? {
      let mirror = Mirror(reflecting: value)
      return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
    check(Self.full)
    let pixel = PixelBuffer(size: PixelSize(width: 1, height: 1), format: .rgb, bytes: [1, 2, 3])
    let image = BlurImage(pixel)
    check(BlurRequest(mode: .image, smallestFace: .pixels(1), people: 2, image: image))
    #expect(StableKey(BlurRequest(people: 2)).text != StableKey(BlurRequest(people: 3)).text)
    // Its key has no field for an unlimited share.
    check(Framing.passport, but: 1)
    for value: any StableKeyed in [Padding(1), AspectRatio.square, Self.template] { check(value) }
    // The asset is identified by each cache in its own way.
    for request in Self.requests {
      let key = RequestKey(request, AssetVersion(id: ImageAsset.ID(rawValue: "a")))
      let options = Mirror(reflecting: key.options).children
      // The size and its fit have fields; the priority, the permission to fetch and the deadline do not.
      #expect(StableKey(key).fieldCount == 2 + options.count - 3)
      for child in options {
        if let keyed = unwrapped(child.value) as? any StableKeyed { check(keyed) }
      }
    }
  }

  /// Different values have different texts, whatever a text contains.
  @Test func textsCannotBeForged() {
    struct Pair: StableKeyed {
      var first: String?
      var second: String?
      func write(to key: inout StableKey) {
        key.field("first", first)
        key.field("second", second)
      }
    }
    let pairs = [Pair(first: "a)second(1:b"), Pair(first: "a", second: "b"), Pair(first: "-"), Pair(), Pair(first: "")]
    #expect(Set(pairs.map { StableKey($0).text }).count == pairs.count)
  }
}
