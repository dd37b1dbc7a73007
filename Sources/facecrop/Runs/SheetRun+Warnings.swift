import FaceCrop
import SystemPackage

extension SheetRun {
  /// Names the images that the lists of names and plans lack, and the captions that cannot be drawn.
  func warn(_ desk: Desk, _ reporter: Reporter) {
    if hasCaptions {
      for subject in desk.subjects { warnOfLetters(subject, reporter) }
    }
    if let names = desk.names { warnOfNames(names, desk, reporter) }
    if let plans = desk.plans { warnOfPlans(plans, desk, reporter) }
  }

  /// Names the files that may be pages of an earlier sheet with another number of pages. They could also be other files,
  /// so they are kept.
  func warnOfOtherPages(than count: Int, _ reporter: Reporter) {
    guard output != FilePath(Input.standard) else { return }
    let inputs = Set(inputs.compactMap { FileStatus($0.path)?.identity })
    func exists(_ path: FilePath) -> Bool {
      FileStatus(path).map { $0.isRegular && !inputs.contains($0.identity) } == true
    }
    var others = count > 1 && exists(output) ? [output] : []
    var number = count > 1 ? count + 1 : 1
    while exists(OutputName.numbered(output, number)) {
      others.append(OutputName.numbered(output, number))
      number += 1
    }
    guard let first = others.first else { return }
    reporter.warn(
      first.string, "pages",
      "\(others.count == 1 ? "it is" : "it and \(DisplayText.count(others.count - 1, "file")) like it are") not of this sheet, and may be of an earlier one",
      "remove what you do not print")
  }

  /// Names the captions whose ends do not fit: several can then read the same.
  func warnOfCutCaptions(_ desk: Desk, _ layout: SheetLayout, _ reporter: Reporter) {
    for subject in desk.subjects where SheetEncoder.cuts(subject.caption, in: layout) {
      reporter.warn(
        inputs[subject.input].text, "caption",
        "the caption '\(subject.caption)' is too long for its place, so its end is left out",
        "give it a shorter name with \(option: "names")")
    }
  }

  private func warnOfNames(_ names: NameList, _ desk: Desk, _ reporter: Reporter) {
    var unnamed = 0
    var counted: Set<Int> = []
    for subject in desk.subjects {
      let persons = names.persons(of: inputs[subject.input].path)
      if let persons, let faces = subject.faces, faces > 0, persons.count > faces,
        counted.insert(subject.input).inserted
      {
        reporter.warn(
          inputs[subject.input].text, "names",
          "'\(names.name)' has \(DisplayText.count(persons.count, "name")) for it, and \(DisplayText.count(faces, "face", "was", "were")) found, so names may be those of others",
          "compare with facecrop detect --preview")
      }
      if let persons, persons.isEmpty || NameList.place(of: subject.crop, among: persons) != nil { continue }
      unnamed += 1
      let lack =
        persons == nil
        ? "'\(names.name)' has no line for it"
        : subject.crop.face.map { "'\(names.name)' has no name for face \($0)" }
          ?? "'\(names.name)' has no name for several faces together"
      reporter.warn(
        inputs[subject.input].text, "names", "\(lack), so its caption is '\(subject.caption)'",
        "add the name to the list")
    }
    guard unnamed > 0, desk.subjects.count > 1 else { return }
    reporter.warn(
      names.name, "names",
      "\(unnamed) of \(DisplayText.count(desk.subjects.count, "face")) on the sheet have no name in it",
      "add the names to the list")
  }

  private func warnOfPlans(_ plans: SheetPlans, _ desk: Desk, _ reporter: Reporter) {
    let name = planIn?.string ?? ""
    let printed = Set(desk.subjects.map(\.input))
    for index in inputs.indices where plans[index] != nil && !printed.contains(index) {
      reporter.warn(
        inputs[index].text, "rejected", "its plan has no crops, so it is not on the sheet",
        "remove the plan to print it")
    }
    if plans.others > 0 {
      reporter.warn(
        name, "ignored", "\(DisplayText.count(plans.others, "plan", "is", "are")) for other inputs and had no effect",
        "name these inputs, too")
    }
    if let words = ignoredByPlans, plans.coverAll {
      reporter.warn(
        name, "ignored",
        "\(words) had no effect, because the plans have the faces and the frames of all inputs\(GivenOptions.remedy(for: words))"
      )
    }
  }

  private func warnOfLetters(_ subject: Subject, _ reporter: Reporter) {
    let missing = SheetEncoder.missingLetters(in: subject.caption)
    guard !missing.isEmpty else { return }
    reporter.warn(
      inputs[subject.input].text, "caption",
      "the caption '\(subject.caption)' has letters that are drawn as boxes: \(missing.map(String.init).joined(separator: " "))",
      "write it with Latin letters")
  }
}
