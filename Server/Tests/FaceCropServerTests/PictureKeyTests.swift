import FaceCrop
import Testing

@testable import FaceCropServer

/// Names of cached responses survive changes of the source code.
@Suite struct PictureKeyTests {
  private static let request = PictureRequest(
    source: "a.jpg", corners: .init(left: 1, top: 2, right: 3, bottom: 4), part: .whole(covers: true), width: 5,
    height: 6)

  /// A renamed or reordered field changes this text, and drops every server's cache.
  @Test func textsAreTheGoldenOnes() {
    #expect(
      StableKey(Self.request).text
        == "corners(left(1)top(2)right(3)bottom(4))part(wholecover(yes)turn(no))width(5)height(6)enlarge(no)exact(no)"
        + "quality(-)meta(no)")
    var page = Self.request
    page.page = 2
    #expect(StableKey(page).text.contains("part(wholecover(yes)turn(no))page(2)width(5)"))
    var blur = PictureRequest(source: "a.jpg", part: .whole(covers: false), blur: BlurRequest())
    blur.isMeta = true
    #expect(
      StableKey(blur).text
        == "corners(-)part(wholecover(no)turn(no))hiding(mode(blur)shape(ellipse)margin(0.3)faces(all)smallest(-)"
        + "metadata(keep)location(no)damage(no)sidecar(-))width(-)height(-)enlarge(no)exact(no)quality(-)meta(yes)")
  }

  /// Every property but the source and the format has a field. The key has the source's version and the response's
  /// format instead.
  @Test func noPropertyIsForgotten() {
    let names = Mirror(reflecting: Self.request).children.compactMap(\.label).filter {
      !["source", "format"].contains($0)
    }
    let fields = [
      "page", "corners", "part", "blur", "width", "height", "allowsUpscaling", "isExact", "quality", "isMeta",
    ]
    #expect(names == fields, "add a field to PictureRequest+StableKey.swift")
  }

  @Test func sourcesAndFormatsAreReplaced() {
    var other = Self.request
    (other.source, other.format) = ("b.jpg", .accepted)
    func name(_ request: PictureRequest, _ version: String = "1", _ formats: [ImageFormat] = [.jpeg]) -> String {
      ResultCache.Key(request, version: version, formats: formats).name
    }
    #expect(name(other) == name(Self.request))
    other.quality = 7
    let names = [
      name(Self.request), name(Self.request, "2"), name(Self.request, "1", [.png]), name(other),
      name(Self.request, "1", [.jpeg, .gif]), name(Self.request, "1", [.jpeg, .webp]),
    ]
    #expect(Set(names).count == names.count)
  }
}
