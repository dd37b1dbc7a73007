import FaceCrop
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// CSV files that name the people in images.
@Suite struct NameListTests {
  private func rows(_ text: String, mostCells: Int = 9) throws -> [CSVReader.Row] {
    var reader = CSVReader(text, mostCells: mostCells)
    var rows: [CSVReader.Row] = []
    while let row = try reader.next() { rows.append(row) }
    return rows
  }

  @Test func tablesAreReadAsSpreadsheetsWriteThem() throws {
    #expect(try rows("a,b\n\nc,d\n").map(\.cells) == [["a", "b"], ["c", "d"]])
    #expect(try rows("\u{FEFF}a;b\r\nc, e;d").map(\.cells) == [["a", "b"], ["c, e", "d"]])
    #expect(try rows("a\t\"b \"\"x\"\"\n2\"\tc\r\n").map(\.cells) == [["a", "b \"x\"\n2", "c"]])
    #expect(try rows("a\n\"1\n2\"\nb\n").map(\.line) == [1, 2, 4])
    #expect(throws: CSVReader.ParseError.openQuote(line: 1)) { try rows("a,\"b\nc") }
    // A row of commas alone must not take many times its bytes.
    #expect(throws: CSVReader.ParseError.tooManyCells(line: 2)) { try rows("a,b\n,,,", mostCells: 3) }
  }

  private func list(_ text: String) throws -> NameList { try NameList(Array(text.utf8), name: "n.csv") }

  /// The longest path that fits counts.
  @Test func imagesAreFoundByTheEndOfTheirPaths() throws {
    let list = try list("Image,Name\nIMG_1.JPG, Ann ,Bo,\n4b/IMG_1.JPG,Cy\n./x/../y.png,Di\n")
    func names(_ path: FilePath) -> [String]? { list.persons(of: path)?.map { String(decoding: $0, as: UTF8.self) } }
    #expect(names("photos/4a/IMG_1.JPG") == ["Ann", "Bo"])
    #expect(names("photos/4b/IMG_1.JPG") == ["Cy"] && names("y.png") == ["Di"])
    // An empty cell is a face without a name.
    #expect(try self.list("a.jpg,,B\n").persons(of: "a.jpg") == [[], [UInt8(ascii: "B")]])
    #expect(try self.list("a.jpg,\nb.jpg,Bo\n").persons(of: "a.jpg") == [])
    // So is a question mark, also at the end, where spreadsheets write empty cells behind short lines.
    #expect(try self.list("a.jpg,?,B, ?,,\n").persons(of: "a.jpg") == [[], [UInt8(ascii: "B")], []])
    #expect(try Set(self.list("a.jpg,?,B,?\n").people) == ["", "B"])
    // A line can have the image alone.
    #expect(try self.list("a.jpg\nb.jpg,Bo\n").persons(of: "a.jpg") == [])
    // One system stores ë as one character, another as two.
    #expect(try self.list("Zo\u{EB}.jpg,Z\n").persons(of: "in/Zoe\u{308}.jpg") == [[UInt8(ascii: "Z")]])
    #expect(names("IMG_2.JPG") == nil)
  }

  /// A line in another case counts if it is the only one, and if no other line fits exactly.
  @Test func imagesAreFoundInAnotherCase() throws {
    let list = try list("IMG_1.JPG,Ann\n4b/img_1.jpg,Cy\nA.jpg,Di\na.JPG,Ed\n\u{C9}.jpg,Fay\n")
    func name(_ path: FilePath) -> String? {
      list.persons(of: path).map { $0.map { String(decoding: $0, as: UTF8.self) }.joined() }
    }
    #expect(name("4a/img_1.jpg") == "Ann" && name("4B/Img_1.JPG") == "Cy" && name("in/\u{E9}.JPG") == "Fay")
    #expect(name("4B/IMG_1.JPG") == "Ann" && name("a.JPG") == "Ed" && name("A.jpg") == "Di")
    #expect(name("a.jpg") == nil && name("A.JPG") == nil)
  }

  /// A line for several images is for none of them. The only one in its own case has it.
  @Test(arguments: [
    ("x.jpg", ["a/x.jpg", "b/x.jpg", "y.jpg"], ["a/x.jpg", "b/x.jpg"], "a/x.jpg"),
    ("x.JPG", ["a/x.jpg", "b/x.jpg"], ["a/x.jpg", "b/x.jpg"], "a/x.jpg"),
    ("x.jpg", ["a/x.jpg", "a/x.JPG"], ["a/x.JPG"], "x.JPG"),
    ("x.jpg", ["x.JPG", "x.Jpg"], ["x.JPG", "x.Jpg"], "x.JPG"),
    ("x.jpg", ["a/x.jpg", "./a/x.jpg"], [], ""), ("a/x.jpg", ["a/x.jpg", "b/x.jpg"], [], ""),
  ])
  func aLineIsForOneImage(line: String, images: [String], failed: [String], example: String) throws {
    try TemporaryFolder.with { folder in
      let path = try FilePath(folder.write("\(line),Ann\n", to: "n.csv"))
      let list = try NameList(reading: path, for: images.map { FilePath($0) }, within: .seconds(60))
      #expect(list.shared.keys.map(\.string).sorted() == failed.sorted())
      let obstacle = list.shared[FilePath(failed.first ?? "")]
      let words = obstacle?.reason.message
      #expect(words?.hasSuffix("(write a line for each, such as '\(example)')") != false, "\(words ?? "")")
      #expect(obstacle?.isTransient != false)
    }
  }

  /// A field with the title of a column could be either. Fields have any case.
  @Test(arguments: [
    ("{name}", "name"), ("{Name}-{person}", "name"), ("{stem}-{DATE}", "date"), ("{size}/{stem}", "size"),
  ])
  func aFieldIsNoColumn(template: String, field: String) throws {
    let list = try list("file;person;Name;Date;Size;Ext\na.jpg;A;B;C;D;E\n")
    let error = #expect(throws: (any Error).self) { try list.check(NameTemplate(template, takesColumns: true)) }
    let words = "--name has {\(field)}, which is a field of facecrop, and --names 'n.csv' has a column '\(field)'"
    #expect("\(error.map { "\($0)" } ?? "")".contains(words))
    try list.check(NameTemplate("{Person}-{stem}-{folder}.{ext}", takesColumns: true))
    #expect(try NameTemplate("{Person}", takesColumns: true).has(.person))
  }

  /// The first line gives the columns: only those of people have names of faces.
  @Test func columnsHaveTitles() throws {
    let list = try list(
      "File;Last;person;First;person;Class\na.jpg;M\u{FC}ller;Ann;Anna;Bo;7a\nb.jpg;;;Ben;;7/b\nc.jpg;X\n")
    func texts(_ names: [[UInt8]]?) -> [String]? { names?.map { String(decoding: $0, as: UTF8.self) } }
    #expect(list.titles == ["last", "person", "first", "person", "class"])
    #expect(texts(list.persons(of: "a.jpg")) == ["Ann", "Bo"] && texts(list.persons(of: "b.jpg")) == [])
    #expect(list.columns(of: "a.jpg")?["class"] == Array("7a".utf8) && list.columns(of: "x.jpg") == nil)
    // Not three faces.
    let pupils = try self.list("file;last;first;class\na.jpg;M;A;7a\n")
    #expect(pupils.persons(of: "a.jpg") == [] && pupils.columns(of: "a.jpg")?["first"] == Array("A".utf8))
    for (titles, template, words) in [
      ("file;last;first;class", "{class}/{last}-{frist}", ["'frist'", "last, first, class"]),
      ("file;last;first", "{person}", ["'person'", "last, first"]),
      ("a.jpg;Ann", "{class}-{stem}", ["'class'", "without"]),
    ] {
      let names = try self.list("\(titles)\nz.jpg;A;B\n")
      let error = #expect(throws: (any Error).self) { try names.check(NameTemplate(template, takesColumns: true)) }
      #expect(words.allSatisfy { "\(error.map { "\($0)" } ?? "")".contains($0) }, "\(template)")
    }
    for (titles, template) in [
      ("file;last;first", "{Last}-{FIRST}.{ext}"), ("file;person;class", "{class}/{person}"), ("file;name", "{person}"),
      ("a.jpg;Ann", "{person}"),
    ] {
      try self.list("\(titles)\nz.jpg;A;B\n").check(NameTemplate(template, takesColumns: true))
    }
    // Values become parts of paths like the names of people.
    #expect(list.lack(of: ["last", "class"], for: "a.jpg") == nil)
    for (path, columns, words) in [
      ("b.jpg", ["class"], "slashes"), ("b.jpg", ["first", "last"], "last for it"), ("c.jpg", ["class"], "class"),
      ("x.jpg", [], "line for it"),
    ] {
      let lack = list.lack(of: columns, for: FilePath(path))
      #expect(lack?.contains(words) == true, "\(path)")
    }
    let dots = try self.list("file,class\na.jpg,..\nb.jpg,.x\nc.jpg,\"a\u{85}b\"\n")
    for path in ["a.jpg", "b.jpg", "c.jpg"] { #expect(dots.lack(of: ["class"], for: FilePath(path)) != nil) }
  }

  /// The images of a list, and the names that a run gives, are bounded.
  @Test func listsAndRunsHaveLimits() async throws {
    func table(_ images: Int, _ names: Int) -> String {
      let row = String(repeating: ",A", count: names)
      return (0..<images).map { "\($0)\(row)\n" }.joined()
    }
    func list(_ text: String) throws -> NameList {
      try NameList(Array(text.utf8), name: "n.csv", mostImages: 100, mostNames: 250)
    }
    #expect(try list(table(100, 2)).persons(of: "99") != nil)
    // Other columns count like names.
    #expect(throws: FileError.self) { try list("file,class\n" + table(26, 10)) }
    for (images, names) in [(101, 1), (26, 10)] {
      #expect(throws: FileError.self) { try list(table(images, names)) }
    }

    // The line of a name counts for each folder with such an image.
    let all = try list("a.jpg" + String(repeating: ",A", count: 10) + "\n")
    func facts(_ images: Int, sizes: Int) async throws -> Int {
      let inputs = (0..<images).map { index -> BatchInput in
        let path = FilePath("\(index)/a.jpg")
        return BatchInput(path: path, location: path, place: path, isNamed: true, obstacle: nil)
      }
      return try await InputFacts.all(
        of: inputs, for: nil, names: all, sizes: sizes, by: FaceCropper(), most: 250
      ).count
    }
    #expect(try await facts(25, sizes: 1) == 25)
    await #expect(throws: FileError.self) { try await facts(26, sizes: 1) }
    await #expect(throws: FileError.self) { try await facts(13, sizes: 2) }
  }

  /// Each name takes hundreds of bytes.
  @Test func listsOfInputsHaveALimit() throws {
    var inputs = InputList(isRecursive: false, base: nil, excluded: [], locator: InputLocator(manifest: "m"))
    try inputs.add(list: Array("a.jpg\n\nb.jpg".utf8), file: "list")
    #expect(inputs.inputs.count == 2)
    #expect(throws: FileError.self) { try inputs.add(list: Array("a\nb\nc\n".utf8), file: "list", most: 2) }
  }

  /// The hint has a line for the same file name in another folder, or one of several in another case.
  @Test(arguments: [
    ("4b/Img_1.jpg", "only one for 'IMG_1.JPG' (write its own folder or case, or its file name alone)"),
    ("new/c.jpg", "only one for 'Old/c.jpg' (write its own folder or case, or its file name alone)"),
    ("c.jpg", "only one for 'Old/c.jpg' (write its own folder or case, or its file name alone)"),
    ("z.png", "add one with the file's name"),
  ])
  func anImageWithoutALineHasAHint(path: String, words: String) throws {
    let list = try list("IMG_1.JPG,Ann\nimg_1.JPG,Bo\nOld/c.jpg,Cy\n")
    #expect(list.persons(of: FilePath(path)) == nil)
    #expect(list.hint(for: FilePath(path)).contains(words))
  }

  @Test(arguments: [
    ("a.jpg,A/B\n", "slashes"), ("a.jpg\n", "has no name"), ("a.jpg,..\n", "hidden file"), (",A\n", "no image"),
    ("a.jpg,A\na.jpg,B\n", "line 2: 'a.jpg' has two lines (write the folder before each name, as in '1a/a.jpg'"),
    ("a.jpg,\"A\n", "quoted"),
    ("a.jpg" + String(repeating: ",A", count: 1_001), "1001 names"), (String(repeating: ",", count: 5_000), "at most"),
    ("a.jpg,A\u{85}B\n", "control"), ("a.jpg,\u{202E}A\n", "control"),
  ])
  func faultsAreNamed(text: String, words: String) {
    let error = #expect(throws: FileError.self) { try list(text) }
    #expect(error?.file == "n.csv" && error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func otherEncodingsAreRefused() {
    let error = #expect(throws: FileError.self) { try NameList([0x61, 0x2C, 0xE9], name: "n.csv") }
    #expect(error?.message.contains("UTF-8") == true)
  }
}
