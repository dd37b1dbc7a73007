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

  /// Hides the faces in the whole image. Throws ``ServiceError/noSuchFace(_:)`` if a face is to be hidden that the
  /// image lacks: a client may publish the response. An image without any face is no error.
  func hidden(_ anonymization: Anonymization) async throws(ServiceError) -> AnonymizedImage {
    let image: AnonymizedImage
    do throws(ImageRequestError) {
      image = try await anonymized(anonymization)
    } catch {
      throw .image(error)
    }
    let count = image.plan.faces.count
    guard case .only(let numbers) = anonymization.faces, count > 0 else { return image }
    let missing = numbers.filter { $0 > count }.sorted()
    guard missing.isEmpty else {
      let present = count == 1 ? "only number is 1" : "numbers are 1 to \(count)"
      let list = missing.map(String.init).joined(separator: ", ")
      throw .noSuchFace("no face has the number \(list) (the \(present); /meta/blur lists the faces)")
    }
    return image
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
