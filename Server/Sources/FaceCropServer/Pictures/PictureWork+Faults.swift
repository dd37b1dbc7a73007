import FaceCrop

/// The steps with errors for the client.
extension PictureWork {
  /// Renders the response. An error about a person says which names the image has.
  func rendered() async throws(ServiceError) -> ImageResponse {
    do throws(ImageRequestError) {
      return try await response()
    } catch {
      throw await explained(error)
    }
  }

  /// Hides the faces in the whole image. Throws ``ServiceError/noSuchFace(_:)`` if a face with a number is to be hidden
  /// and stays visible: a client may publish the response. Without numbers, an image without a face is no error.
  func hidden(_ blur: BlurRequest) async throws(ServiceError) -> BlurredImage {
    let image: BlurredImage
    var options = ImageRequestOptions()
    options.encoding = encoding
    do throws(ImageRequestError) {
      // Without a quality, a JPEG keeps its blocks.
      image = try await pictures.manager.blurredImage(
        for: asset, blur: blur, keepsBlocks: request.quality == nil, options: options, progress: follow)
    } catch {
      throw .image(error)
    }
    guard case .only = blur.faces else { return image }
    for case .missingFaces(let numbers) in image.warnings {
      let count = image.plan.faces.count
      let present = count == 0 ? "image has no face" : count == 1 ? "only number is 1" : "numbers are 1 to \(count)"
      throw .noSuchFace("no face has the number \(Self.list(numbers)) (the \(present); /meta/blur lists the faces)")
    }
    guard case .smaller(let numbers)? = image.shortfall else { return image }
    let subject = numbers.count == 1 ? "face \(numbers[0]) is" : "faces \(Self.list(numbers)) are"
    throw .noSuchFace("\(subject) lower than min-face, and would stay visible (lower min-face, or leave it out)")
  }

  private static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

  /// Returns clauses about the rules of the preset's document that the file breaks. As with the command, outputs without
  /// a face and animations are not measured.
  func misses(of response: ImageResponse) async throws(ServiceError) -> [String] {
    guard let standard = request.standard, let file = response.file,
      response.plan.crops.first?.faces.isEmpty == false
    else { return [] }
    do throws(ImageRequestError) {
      if request.keepsFrames, try await pictures.manager.info(of: asset).isAnimated { return [] }
      let check = try await pictures.manager.check(.bytes(file.bytes), by: standard, measuresBackground: false)
      return check.findings.compactMap { $0.miss(of: standard) }
    } catch {
      throw .image(error)
    }
  }

  /// The upper bound for the names in an error.
  private static let mostNames = 20

  private func explained(_ error: ImageRequestError) async -> ServiceError {
    guard error == .image(.noFace), case .faces(let crop) = request.part else { return .image(error) }
    switch crop.search.faces {
    case .person, .tagged: break
    default: return .image(error)
    }
    guard let info = try? await pictures.manager.info(of: asset) else { return .image(error) }
    var names: [String] = []
    for name in info.regions.compactMap(\.name) where !names.contains(name) { names.append(name) }
    guard !names.isEmpty else { return .noSuchFace("the image's metadata name nobody (choose faces=largest)") }
    guard case .person(let person) = crop.search.faces else { return .image(error) }
    let known = names.prefix(Self.mostNames).map { "'\($0)'" } + (names.count > Self.mostNames ? ["…"] : [])
    return .noSuchFace("the image's metadata do not name '\(person)' (use \(known.joined(separator: ", ")))")
  }
}
