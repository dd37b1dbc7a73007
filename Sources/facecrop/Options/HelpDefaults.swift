import FaceCrop

/// The defaults in the help of shared options, for the command whose help is shown.
enum HelpDefaults {
  private enum Command: String {
    case crop, avatar, batch, sheet
  }

  /// The command; nil for the help of all commands, as for the man page.
  private static let command = LaunchArguments.texts.dropFirst().lazy.compactMap(Command.init).first

  static var isForSheet: Bool { command == .sheet }

  static let faces = "the preset's: union for \(names(.union)), largest for the others"
  static var preset: String {
    switch command {
    case .crop, .batch: "crop"
    case .avatar: "avatar"
    case .sheet: "passport"
    case nil: "crop for crop and batch, avatar for avatar, passport for sheet"
    }
  }
  static var output: String {
    let name = command.map { "NAME-\($0.rawValue).EXT" } ?? "NAME-crop.EXT or NAME-avatar.EXT"
    return "\(name) beside the input, or - for standard input"
  }
  static var print: String {
    switch command {
    case .sheet: "examples: 2x2in, 35x45mm; default: 35x45mm"
    case nil: "examples: 2x2in, 35x45mm; default: 35x45mm for sheet"
    default: "examples: 2x2in, 35x45mm"
    }
  }
  static var dpi: String {
    let usual = "\(PrintSize.usualResolution)"
    return command == .sheet ? usual : "\(usual) with --print"
  }
  static var noFace: String {
    let byPreset = "the preset's: whole for crop, center for \(Preset.social(.facebookLink).name), maybe for the others"
    switch command {
    case .batch: return "skip"
    case .sheet: return "fail"
    case .crop, .avatar: return byPreset
    case nil: return "\(byPreset); skip for batch, fail for sheet"
    }
  }

  private static func names(_ faces: FaceSelection) -> String {
    Preset.allValueStrings.compactMap(Preset.init(argument:)).filter { $0.search.faces == faces }.map(\.name)
      .joined(separator: " and ")
  }

  /// Returns the values of a shared option, without those that `sheet` refuses.
  static func values(_ all: [String], notForSheets refused: [String]) -> [String] {
    command == .sheet ? all.filter { !refused.contains($0) } : all
  }
}
