import FaceCrop
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FaceCropServer

/// `person` and `faces=tagged`, by names in the metadata.
@Suite(.timeLimit(.minutes(5))) struct PersonRouteTests {
  /// Returns the portrait with the regions of people.
  private static func portrait(naming names: [String]) -> [UInt8] {
    let people = names.map { name in
      """
      <rdf:li><rdf:Description mwg-rs:Name='\(name)' mwg-rs:Type='Face'>\
      <mwg-rs:Area stArea:x='0.4' stArea:y='0.25' stArea:w='0.2' stArea:h='0.25' stArea:unit='normalized'/>\
      </rdf:Description></rdf:li>
      """
    }
    let packet = """
      <x:xmpmeta xmlns:x='adobe:ns:meta/'>\
      <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' \
      xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/' \
      xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#' xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#'>\
      <mwg-rs:Regions rdf:parseType='Resource'>\
      <mwg-rs:AppliedToDimensions stDim:w='512' stDim:h='512' stDim:unit='pixel'/>\
      <mwg-rs:RegionList><rdf:Bag>\(people.joined())</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>\
      </rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let segment = Array("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8)
    let length = segment.count + 2
    var file = Pictures.astronaut
    file.insert(contentsOf: [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + segment, at: 2)
    return file
  }

  /// Metadata say which crop has no face, and why.
  @Test(arguments: [
    ("person=Zoe", "the metadata name no 'Zoe'; "), ("person=Zoe&no-face=center", "; the center of the image was used"),
    ("faces=tagged&no-face=whole", "the metadata name nobody; the whole image was used"),
  ])
  func metadataWarn(query: String, words: String) async throws {
    struct Meta: Decodable {
      var chosen: [Int]
      var warnings: [String]?
    }
    try await Server().application.test(.live) { client in
      func meta(_ query: String, _ body: [UInt8]) async throws -> Meta {
        let response = try await client.execute(
          uri: "/meta/avatar/64?\(query)", method: .post, body: ByteBuffer(bytes: body))
        return try JSONDecoder().decode(Meta.self, from: Data(buffer: response.body))
      }
      let found = try await meta(query, Pictures.astronaut)
      #expect(found.chosen == [] && found.warnings?.contains { $0.contains(words) } == true, "\(found)")
      let none = try await meta("no-face=center", try await Pictures.faceless())
      #expect(none.chosen == [] && none.warnings == ["no face was found; the center of the image was used"])
      let one = try await meta("", Pictures.astronaut)
      #expect(one.chosen == [0] && one.warnings == [])
    }
  }

  /// The message has the names of the image.
  @Test(arguments: [
    ("person=Ada", ["Ada"], 200, ""), ("person=Zoe", ["Ada", "Bob"], 422, "do not name 'Zoe' (use 'Ada', 'Bob')"),
    ("person=Zoe", [], 422, "name nobody"), ("faces=tagged", [], 422, "name nobody"),
    ("person=Zoe", (1...30).map { "N\($0)" }, 422, "'N20', …)"),
  ])
  func aPersonThatIsNotFound(query: String, names: [String], status: Int, words: String) async throws {
    try await Server().application.test(.live) { client in
      for path in ["/crop", "/meta"] {
        let response = try await client.execute(
          uri: "\(path)/avatar/64?no-face=fail&\(query)", method: .post,
          body: ByteBuffer(bytes: Self.portrait(naming: names)))
        #expect(response.status.code == status)
        guard status != 200 else { continue }
        let text = String(buffer: response.body)
        #expect(text.contains("\"no-face\"") && text.contains(words), "\(text)")
      }
    }
  }
}
