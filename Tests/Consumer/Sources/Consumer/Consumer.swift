import FaceCrop

/// A program of another package, which finds the models in the library's resources beside it.
@main
struct Consumer {
  static func main() async throws {
    let cropper = FaceCropper()
    let result = try await cropper.crop(.file(.init(CommandLine.arguments[1])))
    let jpeg = try await cropper.encode(result.crops[0], as: .jpeg(quality: 85))
    print("\(result.plan.faces.count) face, \(jpeg.count) bytes")
  }
}
