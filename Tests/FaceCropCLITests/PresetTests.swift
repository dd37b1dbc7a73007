import FaceCrop
import Foundation
import TestSupport
import Testing

/// The command has the library's presets. `PresetRouteTests` shows the same for the server, and `test_presets` for the
/// Python package.
@Suite struct PresetTests {
  private static let names = Preset.allCases.filter { $0 != .fill }.map(\.name)
  /// With two people, to tell the choices of faces apart.
  private static let people = Result { try JPEGRecipe(quality: 95).encode(Samples.twoFaces()) }

  /// Each preset gives the bytes of the library, at its own size and at a given one.
  @Test(arguments: names, [nil, 300])
  func outputsAreThoseOfTheLibrary(name: String, side: Int?) async throws {
    let people = try Self.people.get()
    var request = try #require(Preset(name: name)).request
    if let side {
      request.output = CropOutput(sizes: [.longSide(side)])
    }
    try await compare(
      people, ["crop", "--preset", name] + (side.map { ["--size", "\($0)"] } ?? []), .jpeg, request)
  }

  /// The quality of each format, and the choice without a face.
  @Test(arguments: ["crop", "avatar", "social-facebook"], [ImageFormat.webp, .avif, .png, .tiff])
  func formatsAreThoseOfTheLibrary(name: String, format: ImageFormat) async throws {
    let preset = try #require(Preset(name: name))
    var request = preset.request
    request.output = CropOutput(sizes: [.longSide(100)])
    let size = ["--preset", name, "--size", "100", "--format", format.rawValue]
    try await compare(Samples.faceless(), ["avatar"] + size, format, request)
    try await compare(Samples.portrait(), ["crop"] + size, format, request)
  }

  @Test func commandsHaveAPresetByDefault() async throws {
    try await compare(Self.people.get(), ["crop"], .jpeg, Preset.crop.request)
    try await compare(Self.people.get(), ["avatar"], .jpeg, Preset.avatar.request)
    var fill = Preset.fill.request
    fill.composition.layout.aspect = .square
    try await compare(Self.people.get(), ["avatar", "--fill", "1:1"], .jpeg, fill)
  }

  private func compare(
    _ bytes: [UInt8], _ arguments: [String], _ format: ImageFormat, _ request: CropRequest
  ) async throws {
    let cropper = FaceCropper()
    let crop = try await cropper.crop(.bytes(bytes), request: request).crops[0]
    let file = try await cropper.encode(crop, as: OutputFormat(format))
    try TemporaryFolder.with { folder in
      let input = try folder.write(bytes, to: "in.jpg")
      let output = folder / "out.\(format == .jpeg ? "jpg" : format.rawValue)"
      let run = try Facecrop.run([arguments[0], input, "-o", output] + arguments.dropFirst())
      #expect(run.status == 0, "\(run.stderr)")
      #expect(try folder.bytes((output as NSString).lastPathComponent) == file, "\(arguments)")
    }
  }
}
