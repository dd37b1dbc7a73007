import Foundation
import Testing

@testable import FaceCrop

/// The texts of all errors and warnings: `facecrop: FILE: CLAUSE (REMEDY)`.
@Suite struct MessageTests {
  private static let size = PixelSize(width: 63, height: 78)
  private static let larger = PixelSize(width: 323, height: 400)
  private static let limits: [Limits.Kind] = [
    .pixels, .side, .pixelsPerByte, .fileBytes, .scans, .frames, .coefficientBytes, .metadataBytes, .regionBytes,
    .resultBytes,
    .imageBytes, .heifBytes, .encodingBytes, .time,
  ]

  /// Each error with values that its message must contain.
  private static let errors: [(FaceCropError, values: [String])] =
    [
      (.unreadable("Permission denied"), ["Permission denied"]), (.unsupported("the file is BMP"), ["the file is BMP"]),
      (.corrupt("the palette is missing"), ["the palette is missing"]),
      (.truncated(intactRows: 3, rows: 17, coarse: false), ["3 of 17"]),
      (.truncated(intactRows: 3, rows: 17, coarse: true), ["3 of 17", "less detail"]),
      (.invalidRequest("face numbers start at 1"), ["face numbers start at 1"]),
      (.invalidRequest(InvalidRequest("margin", mustBe: "0 to 2", not: "3")), ["margin must be 0 to 2, not 3"]),
      (.invalidRequest(InvalidRequest("it has a size", remedy: "leave it out")), ["it has a size (leave it out)"]),
      (.planMismatch(plan: size, image: larger), ["63×78", "323×400"]), (.noFace, ["face"]),
      (.formatLimit(larger, format: "WebP", allowedSide: 390), ["323×400", "WebP", "390", "smaller size"]),
      (.tooSmall(size, allowedSide: 100), ["63×78", "100"]), (.tooLarge(bytes: 1_234, allowed: 567), ["1234", "567"]),
      (.modelMissing(name: "a.xml", searched: ["/x", "/y"]), ["a.xml", "/x, /y", "FACECROP_MODELS"]),
      (.modelUnusable(path: "/x/a.xml", reason: "it is empty"), ["/x/a.xml", "it is empty"]),
      (.detectorFailed("code 5"), ["code 5"]), (.libraryMissing("libtiff.so.6 (install libtiff6)"), ["libtiff.so.6"]),
      (.unsureCutout(confidence: 0.6), ["0.6"]), (.outOfMemory, ["memory"]), (.cancelled, ["cancelled"]),
      (.overLimit(.fileBytes, actual: 568, allowed: 567), ["more than 567 bytes"]),
      (.overLimit(.time, actual: 3_000, allowed: 1_000), ["3 s", "1 s"]),
    ]
    + limits.map {
      (.overLimit($0, actual: 1_234, allowed: 567), $0 == .time ? ["1.234 s", "0.567 s"] : ["1234", "567"])
    }

  private static let warnings: [(CropWarning, values: [String])] = [
    (.truncated(intactRows: 17, rows: 17, coarse: false), ["end"]),
    (.truncated(intactRows: 3, rows: 17, coarse: false), ["3 of 17"]),
    (.corrupt(intactRows: 3, rows: 17), ["3 of 17"]), (.irregular, ["bytes"]), (.firstFrameOnly, ["first frame"]),
    (.profileDropped, ["profile"]), (.creditsDropped, ["IPTC", "XMP"]),
    (.smaller(requested: larger, actual: size), ["63×78", "323×400"]),
    (.smallPreview(preview: size, sensor: larger), ["63×78", "323×400"]),
    (.otherFormat(wanted: "WebP", actual: "JPEG", size: size), ["63×78", "WebP", "JPEG"]),
    (.gainMapDropped(.smallOutput), ["gain map", "1000"]),
    (.gainMapDropped(.format), ["gain map", "JPEG"]), (.gainMapDropped(.shape), ["gain map"]),
    (.gainMapDropped(.unusable), ["gain map"]), (.gainMapDropped(.background), ["gain map", "background"]),
    (.unsureCutout(confidence: 0.6), ["0.6"]),
    (.notAligned(.noEyes), ["eyes"]), (.notAligned(.leansTooFar), ["eyes", "60°"]), (.notAligned(.noRoom), ["eyes"]),
    (.frame(.crownCut(byImageEdge: true)), ["crown", "edge"]), (.frame(.crownCut(byImageEdge: false)), ["crown"]),
    (.frame(.chinCut(byImageEdge: true)), ["chin", "edge"]), (.frame(.chinCut(byImageEdge: false)), ["chin"]),
    (.frame(.offCenter(byImageEdge: true)), ["off-center"]), (.frame(.offCenter(byImageEdge: false)), ["off-center"]),
    (.frame(.headSize(1.42)), ["head", "1.42"]), (.frame(.headSize(0.8)), ["head", "0.8"]),
    (.frame(.facesCut(2)), ["2 of the faces"]),
    (.severalFaces(3), ["3 faces"]), (.possibleFace(score: 0.4567), ["0.46"]),
    (.doubtfulFaces([16]), ["hidden face 16"]), (.doubtfulFaces([2, 16]), ["2 of", "2, 16"]),
    (.missingFaces([7, 99]), ["7, 99"]),
    (
      .grown(
        requested: PixelRect(x: 20, y: 30, width: 100, height: 100),
        actual: PixelRect(x: 16, y: 16, width: 112, height: 128)),
      ["4 pixels", "14 ", "8 ", "14 "]
    ),
  ]

  /// Expects a clause that can follow a file's name: no verb phrase, no final period, and no path.
  private func expectClause(_ text: String, _ values: [String]) {
    #expect(text.first.map { $0.isLowercase || $0.isNumber || $0 == "I" } == true, "\(text)")
    #expect(text.last != "." && !text.contains("facecrop:"), "\(text)")
    #expect(
      text.wholeMatch(of: /(is|are|was|were|has|have|had|needs|cannot|could|would|may|does|did)\b.*/) == nil, "\(text)")
    #expect(!text.contains("picture"), "\(text)")
    #expect(text.firstMatch(of: /\dx\d/) == nil, "sizes have a multiplication sign: \(text)")
    for value in values { #expect(text.contains(value), "\(text)") }
  }

  @Test func errorsAreClausesWithTheirValues() {
    for (error, values) in Self.errors { expectClause("\(error)", values) }
    #expect(Set(Self.errors.map(\.0.kind)).count == 17)
    let requests: [ImageRequestError] = [
      .notFound("a"), .accessDenied("a"), .networkAccessNotAllowed, .loadingFailed("a"), .overloaded(waiting: 1),
      .overBudget(needed: 2, budget: 1), .deadlineExceeded, .wouldBlock,
    ]
    #expect(Set(requests.map(\.kind) + Self.errors.map(\.0.kind)).count == 25)
    #expect(ImageRequestError.image(.noFace).kind == "no-face")
  }

  @Test func warningsAreClausesWithTheirValues() {
    for (warning, values) in Self.warnings { expectClause("\(warning)", values) }
    #expect(Set(Self.warnings.map(\.0.kind)).count == 18)
  }

  /// Users of another program do not have the command's options. The command adds them in sentences of its own.
  @Test func noTextNamesAnOptionOfTheCommand() throws {
    let texts = Self.warnings.map { "\($0.0)" } + Self.errors.map { "\($0.0)" }
    for text in texts { #expect(text.firstMatch(of: /--[a-z]|facecrop [a-z]/) == nil, "\(text)") }
    // Many more texts are made where they are thrown.
    let folder = DocumentationTests.root.appending(path: "Sources/FaceCrop").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    #expect(files.count > 300)
    for file in files {
      let lines = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8).split(separator: "\n")
      for line in lines where line.contains("--") {
        let isText = line.firstMatch(of: /"([^"]*[^"\-])?--[a-z]/) != nil
        #expect(!isText || line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//"), "\(file): \(line)")
      }
    }
  }

  @Test func errorsOfRequestsAreClauses() {
    let errors: [(ImageRequestError, [String])] = [
      (.image(.noFace), ["face"]), (.notFound("/a.jpg"), ["/a.jpg"]), (.accessDenied("/a.jpg"), ["/a.jpg"]),
      (.networkAccessNotAllowed, ["network"]), (.loadingFailed("status 500"), ["status 500"]),
      (.overloaded(waiting: 7), ["7 "]),
      (.overBudget(needed: 3 << 20, budget: 2 << 20), ["3 MiB", "2 MiB"]), (.deadlineExceeded, ["deadline"]),
      (.wouldBlock, ["blocking"]),
    ]
    for (error, values) in errors { expectClause("\(error)", values) }
  }

  @Test func descriptionsOfErrorsAreSentences() throws {
    for (error, values) in Self.errors {
      let sentence = try #require(error.errorDescription)
      #expect(sentence.first.map { $0.isUppercase || $0.isNumber } == true && sentence.last == ".", "\(sentence)")
      for value in values { #expect(sentence.lowercased().contains(value.lowercased()), "\(sentence)") }
    }
  }

  private static let libraryErrors: [PhotoLibraryError] = [
    .notFound("photos"), .accessDenied("photos"), .notAFolder("photos"),
    .unreadable("photos", reason: "Input/output error"),
    .cancelled,
  ]
  private static let requestErrors: [ImageRequestError] = [
    .image(.noFace), .notFound("/a.jpg"), .accessDenied("/a.jpg"), .networkAccessNotAllowed,
    .loadingFailed("status 500"), .overloaded(waiting: 7), .overBudget(needed: 3 << 20, budget: 2 << 20),
    .deadlineExceeded, .wouldBlock,
  ]

  /// A case that is added has no place here, and does not compile.
  private func place(of error: PhotoLibraryError) -> Int {
    switch error {
    case .notFound: 0
    case .accessDenied: 1
    case .notAFolder: 2
    case .unreadable: 3
    case .cancelled: 4
    }
  }

  private func place(of error: ImageRequestError) -> Int {
    switch error {
    case .image: 0
    case .notFound: 1
    case .accessDenied: 2
    case .networkAccessNotAllowed: 3
    case .loadingFailed: 4
    case .overloaded: 5
    case .overBudget: 6
    case .deadlineExceeded: 7
    case .wouldBlock: 8
    }
  }

  private func place(of error: FaceCropError) -> Int {
    switch error {
    case .unreadable: 0
    case .unsupported: 1
    case .corrupt: 2
    case .truncated: 3
    case .overLimit: 4
    case .invalidRequest: 5
    case .planMismatch: 6
    case .noFace: 7
    case .tooSmall: 8
    case .tooLarge: 9
    case .modelMissing: 10
    case .modelUnusable: 11
    case .detectorFailed: 12
    case .libraryMissing: 13
    case .outOfMemory: 14
    case .cancelled: 15
    case .unsureCutout: 16
    case .formatLimit: 17
    }
  }

  /// What Foundation shows of each error is a sentence of ours, not "The operation could not be completed", and names the file where the
  /// error knows it.
  @Test func everyErrorHasALocalizedDescription() {
    #expect(Set(Self.errors.map { place(of: $0.0) }) == Set(0...17))
    #expect(Set(Self.libraryErrors.map { place(of: $0) }) == Set(0...4))
    #expect(Set(Self.requestErrors.map { place(of: $0) }) == Set(0...8))
    var all: [any Error] = Self.errors.map { $0.0 }
    all += Self.libraryErrors.map { $0 as any Error } + Self.requestErrors.map { $0 as any Error }
    for error in all {
      let sentence = (error as? any LocalizedError)?.errorDescription ?? ""
      #expect(sentence.count > 15 && sentence.hasSuffix(".") && !sentence.hasSuffix(".."), "\(error)")
    }
    for error in Self.libraryErrors where error != .cancelled {
      #expect(error.errorDescription?.hasPrefix("photos: the f") == true, "\(error)")
    }
    for error in Self.requestErrors.dropFirst() where "\(error)".contains("a.jpg") {
      #expect(error.errorDescription?.contains("/a.jpg") == true)
    }
  }

  /// A log's line names the file.
  @Test func errorsAreToldWithTheirFile() {
    #expect(FaceCropError.noFace.message(for: .file("b/portrait.jpg")) == "b/portrait.jpg: no face was found")
    #expect(FaceCropError.noFace.message(for: .bytes([1])) == "image: no face was found")
  }
}
