import FoundationEssentials

@testable import FaceCropCLI

/// A target that reads a line of a worker's standard input as a request, and answers it.
enum RequestTarget {
  static func run(_ line: [UInt8]) throws(Finding) {
    // The worker's reader takes lines.
    guard !line.contains(UInt8(ascii: "\n")) else { return }
    let id = try? JSONDecoder().decode(Identified.self, from: Data(line)).id
    var answers = [WorkerAnswer(RequestLines.Line(number: 7, bytes: line), .failed("crashed", "crashed"))]
    var parser = WorkerRequest.Parser(defaults: ["--size", "300"])
    switch Result(catching: { () throws(WorkerRequest.ParseError) in try parser.request(line) }) {
    case .success(let request):
      try Finding.unless(!request.input.isEmpty && request.output?.isEmpty != true, "a picture without a name")
      answers.append(WorkerAnswer(request, Outcome(.cropped), peakMemory: 1))
    case .failure(let fault):
      try Finding.unless(!fault.message.isEmpty, "a fault without a word")
      answers.append(WorkerAnswer(fault, line: 7))
    }
    for answer in answers {
      let text = answer.line
      try Finding.unless(
        text.utf8.count { $0 == UInt8(ascii: "\n") } == 1 && text.hasSuffix("\n"), "not one line: \(text)")
      guard let read = try? JSONDecoder().decode(Identified.self, from: Data(text.utf8)) else {
        throw Finding("an answer that is no JSON object: \(text)")
      }
      try Finding.unless(id == nil || read.id == id || read.id == nil, "another request's: \(text)")
    }
  }

  private struct Identified: Decodable {
    var id: JSONValue?
  }

  static var seeds: [[UInt8]] {
    [
      #"{"id":1,"input":"a.jpg","output":"b.png"}"#, #"{"id":2,"input":"a.jpg","output":null,"detector":"haar"}"#,
      #"{"id":"x","input":"a.jpg","output":"b.webp","size":[64,128],"quality":80,"format":"webp"}"#,
      #"{"id":123456789012345678901234567890,"inputBase64":"/w==","outputBase64":"YS5qcGc=","preset":"avatar"}"#,
      #"{"id":{"a":[1,2.5e3,null,true]},"input":"a","output":"b","align":true,"lossless":false}"#,
      #"{"input":"a","output":"b","i\u0064":[ "],}" , {"}":"{"} ],"timeout":0.5,"help":true}"#,
      #"{"id":null,"input":"-","output":"b","generate-completion-script":"bash","pad-color":"fff"}"#,
      #"{"id":1,"input":"a","output":"b","detector":"haar","faces":"each","max-pixels":"40MP"}"#, "[]", #"{"id":"#,
    ].map { Array($0.utf8) }
  }
}
