/// The catalog of all options.
extension OptionFact {
  /// The rows, in the order of messages.
  public static let all: [OptionFact] = faces + framing + sizes + encoding + colors + blur + runs + papers + limits

  /// Returns whether people use the option often, or the command has few. The others are only in the full help.
  public func isCommon(in command: Places) -> Bool {
    Self.common.contains(name) || command.isDisjoint(with: .crops.union(.sheet))
  }

  private static let common: Set = [
    "aspect", "blur", "captions", "copies", "faces", "format", "jobs", "lossless", "metadata", "name", "no-face",
    "output", "output-dir", "padding", "paper", "preset", "quality", "recursive", "report", "size",
  ]

  private static let byName = Dictionary(grouping: all, by: \.name)

  /// Returns the row of an option for a command, or else its first one; nil for unknown names.
  public static func named(_ name: String, for place: Places?) -> OptionFact? {
    guard let rows = byName[name] else { return nil }
    return rows.first { row in place.map { !row.places.isDisjoint(with: $0) } ?? true } ?? rows.first
  }

  /// Returns the row of the option that has taken the place of a former one in a command.
  public static func formerly(_ name: Substring, for place: Places) -> OptionFact? {
    all.first { !$0.places.isDisjoint(with: place) && $0.former.contains { $0.name == name } }
  }

  /// Files, folders and names, the record of a batch, plans, and messages.
  private static let runs: [OptionFact] = [
    OptionFact(
      "recursive", short: "r", .batch, .flag, "Crop all images in folders and their subfolders.",
      elsewhere: folders, otherNames: ["--dir", "--out-dir"]),
    OptionFact(
      "recursive", short: "r", .check, .flag, "Check all images in folders and their subfolders, and print a table."),
    OptionFact(
      "from-list", .batch, .stream, value: "file", "Read more input names from a file.", "- is standard input"),
    OptionFact(
      "base", .batch, .folder, value: "folder", "Keep the folder structure below this folder.", "example: photos"),
    OptionFact(
      "pairs", .batch, .choice(["jpeg", "raw", "both"]),
      "Choose which file of a shot to crop: the JPEG or HEIC, the RAW, or both.", usual: "jpeg"),
    OptionFact(
      "shard", .batch, .text, value: "i/n", "Crop one of several parts of the inputs.", "examples: 0/2, 1/2",
      form: "the part, counted from 0, and the number of parts: 0/4 to 3/4", unfit: [.series, .bestOf]),
    OptionFact(
      "output", short: "o", [.avatar, .blur, .crop, .sheet], .stream, value: "file", "Write this file.",
      "- is standard output; default: NAME-COMMAND.EXT beside the input, or - for standard input",
      elsewhere: [(.batch, "name the folder of the outputs with -d")], otherNames: ["--out", "--out-dir"]),
    OptionFact(
      "output-dir", short: "d", .batch, .folder, value: "folder",
      "Write the outputs to this folder; create it if needed.",
      elsewhere: folders),
    OptionFact(
      "clobber", [.avatar, .blur, .crop, .sheet], .switched,
      "Replace an existing output; --no-clobber fails instead."),
    OptionFact("name", .batch, .text, value: "template", "Name the outputs by a template.", "default: {stem}.{ext}"),
    OptionFact(
      "names", [.batch, .blur], .file, value: "file", "Read the names of people from a CSV file.",
      "columns: image, name of each face"),
    OptionFact(
      "on-collision", .batch, .choice(["fail", "number", "first", "keep-extension"]),
      "Choose how to handle inputs whose outputs would have the same name.", usual: "fail"),
    OptionFact(
      "no-face-dir", .batch, .folder, value: "name",
      "Write outputs of images without a face to this folder below the output folder.", unfit: [.blur]),
    OptionFact(
      "reject-dir", .batch, .folder, value: "folder", "Link or copy inputs that failed or have no face to this folder."),
    OptionFact(
      "manifest", .batch, .file, value: "file", "Record the result of each input as JSON lines.",
      "default: manifest.ndjson in the output folder", unfit: [.dryRun]),
    OptionFact("resume", [.batch, .worker], .switched, "Skip inputs whose outputs are up to date."),
    OptionFact("retry", .batch, .flag, "Retry inputs that failed."),
    OptionFact("verify", .batch, .flag, "Compare the checksums of existing outputs, not only their sizes."),
    OptionFact(
      "overwrite", .batch, .flag, "Replace outputs that were changed, and other files with an output's name."),
    OptionFact(
      "corrections", .batch, .choice(["fail", "apply", "drop", "keep"]),
      "Choose how to handle corrected images that were changed since.", usual: "fail"),
    OptionFact(
      "prune", .batch, .flag, "Remove outputs of earlier runs that this run would not make.", unfit: [.dryRun]),
    OptionFact("dry-run", .batch, .flag, "Print the planned work, and write no images.", "JSON lines"),
    OptionFact("plan-out", .single, .stream, value: "file", "Write the plan (faces and crop regions) as JSON."),
    OptionFact("plan-out", .batch, .file, value: "file", "Write the plans of all images to a file.", "JSON lines"),
    OptionFact("plan-out", .blur, .stream, value: "file", "Write the plan (faces and hidden areas) as JSON."),
    OptionFact("plan-in", .single, .stream, value: "file", "Apply a plan from --plan-out instead of detecting faces."),
    OptionFact(
      "plan-in", [.batch, .sheet], .file, value: "file",
      "Apply the plans from a report or --plan-out instead of detecting faces."),
    OptionFact("plan-in", .blur, .stream, value: "file", "Hide the areas of this plan, without a search for faces."),
    // For facecrop-server: makes the outputs of the inputs in a list again, by --plan-in or without a plan, and removes
    // their outdated ones. Names of outputs are those of the whole run.
    OptionFact("remake", .batch, .file, "", isInternal: true),
    OptionFact(
      "jobs", short: "j", [.batch, .worker], .whole(1...1_024), value: "n", "Crop this many images at once.",
      "default: the processors", bound: "1 to 1024"),
    OptionFact(
      "memory", [.batch, .worker], .text, value: "n", "Limit the memory of the run.",
      "examples: 512M, 2GiB; default: half of the machine's", form: "a whole number with a unit, such as 512M or 2GiB"),
    OptionFact(
      "worker", [.batch, .worker], .flag, "Read requests from standard input, for another program.", "JSON lines"),
    OptionFact("picture-process", [.batch, .worker], .flag, "", isInternal: true),
    OptionFact(
      "report", .batch, .file, value: "file", "Write an HTML report, in which frames can be corrected.",
      "use it from the first run on", unfit: [.dryRun]),
    OptionFact("json", .single, .flag, "Print the result as a JSON object on standard output."),
    OptionFact("json", .batch, .flag, "Print a summary as a JSON object on standard output."),
    OptionFact("json", .blur, .flag, "Print a JSON object per image on standard output."),
    OptionFact("json", [.check, .info], .flag, "Print one JSON object per line, for errors too."),
    OptionFact("json", .detect, .flag, "Print JSON, which detect always does."),
    OptionFact(
      "progress", [.avatar, .batch, .blur, .crop, .worker], .choice(["auto", "bar", "json", "none"]),
      "Show progress on standard error; auto is a bar on a terminal.", usual: "auto"),
    OptionFact(
      "preview", .detect, .stream, value: "file", "Write a small JPEG copy of the image with the faces drawn on it."),
    OptionFact("heads", .detect, .flag, "Find the head of each face, with hair and hat, and print it too."),
    OptionFact(
      "write-regions", .detect, .flag,
      "Write the faces and their names to IMG.EXT.xmp beside each image, unless it or IMG.xmp exists."),
  ]

  private static let folders: [(Places, String)] = [
    (.crop, "crop several images with facecrop batch -r photos -d folder"),
    (.avatar, "crop several images with facecrop batch --preset avatar -r photos -d folder"),
    (.blur, "hide faces in folders with facecrop batch --blur -r photos -d hidden"),
  ]

  /// The paper of a sheet.
  private static let papers: [OptionFact] = [
    OptionFact(
      "paper", .sheet, .text, value: "size", "Set the paper size.", "examples: a4, letter, 13x18cm; default: 10x15cm"),
    OptionFact(
      "copies", .sheet, .whole(1...Int.max), value: "n",
      "Set the number of prints of each face; more than fit take more pages.",
      "default: as many as fit", bound: "1 or more"),
    OptionFact("gap", .sheet, .text, value: "length", "Set the distance between two prints.", "default: 2mm"),
    OptionFact("margin", .sheet, .text, value: "length", "Set the smallest white margin of the paper.", "default: 4mm"),
    OptionFact("cut-marks", .sheet, .switched, "Draw thin lines that show where to cut."),
    OptionFact(
      "captions", .sheet, .flag, "Write the name of its file under each print, and leave out the cut marks."),
    OptionFact(
      "names", .sheet, .file, value: "file", "Read the names to write under the prints from a CSV file.",
      "columns: image, name of each face"),
  ]

  /// The limits for each image.
  private static let limits: [OptionFact] = [
    OptionFact(
      "page", .all.union(.urls), .whole(1...65_536), value: "n", "Read this page of a TIFF.",
      "default: the first that is no reduced image"),
    OptionFact(
      "allow-truncated", .all.subtracting(.info), .flag, "Accept truncated and damaged images, with a warning."),
    OptionFact(
      "max-pixels", .all, .text, value: "n",
      "Refuse images with more pixels; above the default, raise the memory limits, too.",
      "example: 160MP; default: 100MP", form: "a number above 0, such as 40000000, 40MP or 0.5MP"),
    OptionFact(
      "max-file-size", .all, .text, value: "n", "Refuse larger files.", "example: 64MiB; default: 256MiB",
      form: "a number above 0, such as 1000000 or 64MiB"),
    OptionFact(
      "max-side", .all, .text, value: "n", "Refuse images with a longer side.", "default: 30000",
      form: "a number above 0, such as 20000 or 20k"),
    OptionFact(
      "timeout", .all, .number(0.001...1e9), value: "s", "Give up an image after this many seconds.", usual: "30",
      unit: "seconds", form: "a number of seconds, such as 10 or 0.5"),
  ]
}
