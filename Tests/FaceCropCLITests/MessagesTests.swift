import Foundation
import TestSupport
import Testing

/// The form of all messages: `facecrop: FILE: CLAUSE (REMEDY)`.
@Suite struct MessagesTests {
  /// `Tests/messages` finds messages by their syntax, in every language.
  @Test func theScriptFindsTheMessages() throws {
    let script = #filePath.replacing("FaceCropCLITests/MessagesTests.swift", with: "messages")
    let all = try Facecrop.bash("'\(script)'")
    #expect(all.status == 0, "\(all.stderr)")
    let texts = all.text.components(separatedBy: "\n\n").filter { !$0.isEmpty }
    #expect(texts.count >= 600)
    for known in [
      "the image is damaged: what", "output is width×height, smaller than the requested width×height",
      "the output is a folder (name a file in it)", "this server does not allow 'unsafe' (sign the URL)",
      "pass --upscale to enlarge", "the cropper is closed", "the path is null",
      "libtiff.so.6 cannot be loaded (install libtiff6)",
      "the HEVC data are invalid",
    ] {
      #expect(texts.contains(known), "\(known)")
    }
    // The position of each message, from every folder with messages.
    let places = try Facecrop.bash("'\(script)' --where").text.components(separatedBy: "\n\n").filter { !$0.isEmpty }
    #expect(places.count == texts.count && places.allSatisfy { $0.contains(#/^[\w/+.-]+:\d+: /#) })
    for folder in [
      "Sources/FaceCrop/", "Sources/facecrop/", "Sources/CJPEGShim/", "Sources/CHEIFShim/", "Server/Sources/",
      "Integrations/python/src/", "Integrations/spark/src/",
    ] {
      #expect(places.contains { $0.hasPrefix(folder) }, "\(folder)")
    }
  }

  /// Errors and warnings of every command.
  @Test(
    arguments: [
      ("crop none.jpg", 1, "none.jpg"), ("crop text.jpg", 1, "text.jpg"), ("crop in.jpg -o .", 1, "."),
      ("crop in.jpg -o in.jpg", 1, "in.jpg"), ("crop in.jpg --plan-in text.jpg", 1, "text.jpg"),
      ("crop in.jpg -o out.jpg --plan-out text.jpg", 1, "text.jpg"), ("crop in.jpg -o no/out.jpg", 1, "no/out.jpg"),
      ("crop in.jpg --max-pixels 9", 1, "in.jpg"), ("crop in.jpg --min-size 999 --size 1000", 1, "in.jpg"),
      ("crop none.png -o out.jpg", 1, "none.png"), ("crop faceless.jpg -o out.jpg", 0, "faceless.jpg"),
      ("crop faceless.jpg -o out.jpg --no-face fail", 2, "faceless.jpg"),
      ("avatar in.jpg -o out.jpg --size 2000", 0, "in.jpg"), ("avatar in.jpg -o out.jpg --max-bytes 9", 1, "in.jpg"),
      ("detect none.jpg text.jpg", 1, nil), ("info none.jpg", 1, "none.jpg"), ("check text.jpg", 1, "text.jpg"),
      ("sheet text.jpg -o out.jpg", 1, "text.jpg"), ("sheet in.jpg -o out.jpg", 0, "in.jpg"),
      ("batch text.jpg none.jpg in.jpg -d out", 1, nil), ("batch in.jpg -d out --manifest text.jpg", 1, "text.jpg"),
      ("batch in.jpg -d out --plan-in text.jpg", 1, "text.jpg"), ("batch in.jpg -d text.jpg", 1, "text.jpg"),
      ("batch -r empty -d out", 0, "empty"),
    ] as [(String, CInt, String?)])
  func linesNameTheProgramAndTheFile(command: String, status: CInt, file: String?) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir empty", in: folder)
      try folder.write(Samples.portrait(), to: "in.jpg")
      try folder.write(Samples.faceless(), to: "faceless.jpg")
      try folder.write("text", to: "text.jpg")
      let outcome = try Facecrop.bash("facecrop \(command)", currentDirectory: folder.path)
      #expect(outcome.status == status, "\(outcome.stderr)")
      let lines = outcome.errorLines.filter { $0.hasPrefix("facecrop: ") }
      #expect(!lines.isEmpty || command.hasPrefix("detect"), "\(outcome.stderr)")
      for line in lines {
        #expect(line.hasPrefix("facecrop: \(file ?? String(line.dropFirst(10).prefix { $0 != ":" })): "), "\(line)")
        #expect(!line.dropFirst(10).contains("facecrop:") && line.last != ".", "\(line)")
        #expect(!line.contains("picture") && line.firstMatch(of: #/: (is|was|has|cannot|could) /#) == nil, "\(line)")
      }
    }
  }
}
