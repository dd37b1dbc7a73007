/// The defaults in the help of shared options, for the command whose help is shown.
enum HelpDefaults {
  private enum Command: String {
    case crop, avatar, batch, sheet
  }

  /// The command; nil for the help of all commands, as for the man page.
  private static let command = LaunchArguments.texts.dropFirst().lazy.compactMap(Command.init).first

  static var isForSheet: Bool { command == .sheet }

  static var faces: String { text(crop: "union", avatar: "largest", sheet: "largest") }
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
  static var noFace: String { text(crop: "whole", avatar: "maybe", sheet: "fail", batch: "skip") }

  /// Returns the values of a shared option, without those that `sheet` refuses.
  static func values(_ all: [String], notForSheets refused: [String]) -> [String] {
    command == .sheet ? all.filter { !refused.contains($0) } : all
  }

  private static func text(crop: String, avatar: String, sheet: String, batch: String? = nil) -> String {
    switch command {
    case .crop: crop
    case .avatar: avatar
    case .sheet: sheet
    case .batch: batch ?? "\(crop), or \(avatar) with a --preset other than crop"
    case nil:
      batch.map { "\(crop) for crop, \(avatar) for avatar, \($0) for batch, \(sheet) for sheet" }
        ?? "\(crop) for crop, \(avatar) for avatar and for batch with a --preset, \(sheet) for sheet"
    }
  }
}
