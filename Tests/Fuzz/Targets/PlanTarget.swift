import FoundationEssentials
import TestSupport

@testable import FaceCrop

/// A target that reads an untrusted plan, writes it again, and renders it from a small image of its size.
enum PlanTarget {
  private static let picture = PNGBuilder(Pixels.testPattern(width: 24, height: 20, channels: 4)).encoded()
  private static let largestCount = 4

  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let input = FuzzInput(bytes), let plan = try? JSONDecoder().decode(CropPlan.self, from: Data(input.file))
    else {
      return
    }
    guard let written = try? JSONEncoder().encode(plan),
      let again = try? JSONDecoder().decode(CropPlan.self, from: written)
    else { throw Finding("a plan that was read cannot be written and read again") }
    try Finding.unless(again == plan, "another plan when it is written and read again")

    let fills: [PadFill] = [.edge, .edge, .blur, .color(red: 9, green: 99, blue: 199)]
    let fill = fills[input.rect(in: PixelSize(width: fills.count, height: 1)).x]
    let side = input.rect(in: PixelSize(width: 1, height: 300)).height
    let job = Observer().job(limits: PictureTarget.limits)
    do throws(FaceCropError) {
      try Codecs.withSession(picture.span, isFileMapping: false, allowsDamage: false, job: job) {
        (session) throws(FaceCropError) in
        let shown = session.header.displaySize
        for crop in plan.crops.prefix(largestCount) {
          let renderer = RegionRenderer(crop, in: shown, fill: fill, session: session)
          let small = OutputSize.longSide(side).pixels(for: renderer.outputSize, allowsUpscaling: true)
          let sizes = [renderer.outputSize, small]
          let pictures = try renderer.pictures(sizes: sizes, limits: job.limits, isLast: false, progress: .silent)
          guard pictures.value.map(\.size) == sizes else { throw .invalidRequest("pictures of other sizes") }
        }
      }
    } catch {
      if case .overLimit = error { return }
      throw Finding("a plan that was read cannot be rendered: it \(error)")
    }
  }

  static var seeds: [[UInt8]] {
    let face = #"{"x":0.25,"y":0.125,"width":0.5,"height":0.25,"score":0.75}"#
    let landmarks = #"[[0.3,0.2],[0.4,0.2],[0.35,0.25],[0.3,0.3],[0.4,0.3]]"#
    let details =
      #"{"x":0.1,"y":0.1,"width":0.2,"height":0.2,"score":1,"landmarks":\#(landmarks),"detectors":["haar"]}"#
    func plan(_ faces: String, _ crops: String) -> String {
      #"{"version":1,"source":{"width":24,"height":20},"detector":"haar","faces":[\#(faces)],"crops":[\#(crops)]}"#
    }
    let whole = #"{"region":{"x":0,"y":0,"width":1,"height":1},"faces":[]}"#
    let framed = #"""
      {"region":{"x":0,"y":0,"width":0.5,"height":0.5},"frame":{"x":-0.5,"y":-1,"width":1e0,"height":1.5},"faces":[0]}
      """#
    let turned = #"""
      {"region":{"x":0,"y":0,"width":1,"height":1},
      "turn":{"degrees":-15.5,"rect":{"x":0.2,"y":0.1,"width":0.5,"height":0.6}},"faces":[]}
      """#
    let texts = [
      plan("", ""), plan("", whole), plan(face, framed), plan(details, framed),
      plan(face + "," + details, whole + "," + framed), plan("", turned),
    ]
    return texts.map { FuzzInput.seed($0.utf8) }
  }
}
