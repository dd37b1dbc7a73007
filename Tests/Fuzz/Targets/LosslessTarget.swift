@testable import FaceCrop

/// A target that cuts a rectangle from a JPEG file without decoding.
///
/// Promises: the cut contains the requested rectangle, and is a complete file of the declared size.
enum LosslessTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let input = FuzzInput(bytes), ImageKind(of: input.file.span) == .read(.jpeg) else { return }
    do {
      let observer = Observer()
      guard let cut = try cut(input, observer) else { return }
      if let fault = observer.fault { throw Finding(fault) }
      try Finding.unless(
        cut.rect.intersection(cut.asked) == cut.asked
          && PixelRect(whole: cut.picture, scale: 8).intersection(cut.rect) == cut.rect,
        "the cut shows \(cut.rect) where \(cut.asked) was asked for")
      try Codecs.withSession(
        cut.bytes.span, isFileMapping: false, allowsDamage: false, job: Observer().job(limits: PictureTarget.limits)
      ) { (session) throws(FaceCropError) in
        let whole = PixelRect(whole: session.header.size, scale: 8)
        guard whole.size == cut.rect.size else {
          throw .invalidRequest("the cut is \(whole.size), not \(cut.rect.size)")
        }
        guard session.header.orientation == cut.orientation else { throw .invalidRequest("it lost its orientation") }
        _ = try session.picture(of: RegionRequest(rect: whole, progress: .silent))
      }
    } catch let finding as Finding {
      throw finding
    } catch FaceCropError.unsupported where isUnsupported(input.file) {
      // Images with fractional sampling can be cut, although libjpeg decodes neither them nor their cuts.
    } catch {
      throw Finding("a cut that was made cannot be read: \(error)")
    }
  }

  /// Returns whether the whole image cannot be decoded either.
  private static func isUnsupported(_ file: [UInt8]) -> Bool {
    do throws(FaceCropError) {
      try Codecs.withSession(
        file.span, isFileMapping: false, allowsDamage: true, job: Observer().job(limits: PictureTarget.limits)
      ) { (session) throws(FaceCropError) in
        let whole = PixelRect(whole: session.header.size, scale: 8)
        _ = try session.picture(of: RegionRequest(rect: whole, progress: .silent))
      }
      return false
    } catch {
      return error.kind == "unsupported"
    }
  }

  private struct Cut {
    var picture: PixelSize
    var asked: PixelRect
    var rect: PixelRect
    var bytes: [UInt8]
    var orientation: Orientation
  }

  /// Returns nil if the file is at fault.
  private static func cut(_ input: FuzzInput, _ observer: Observer) throws(Finding) -> Cut? {
    let job = observer.job(limits: PictureTarget.limits)
    do throws(FaceCropError) {
      return try Codecs.withSession(input.file.span, isFileMapping: false, allowsDamage: false, job: job) {
        (session) throws(FaceCropError) -> Cut in
        guard let cutter = session as? any LosslessSession else { throw .invalidRequest("no lossless session") }
        let header = session.header
        let asked = input.rect(in: header.size)
        let metadata = try KeptMetadata(of: header, by: .keep, resolution: nil, sidecar: nil, job)
        let made = try cutter.losslessCut(of: asked, progress: ProgressSpan(job: job, phase: .render)) {
          CropMetadata(exif: metadata.exif(size: $0, orientation: header.orientation), xmp: metadata.xmp)
        }.value
        return Cut(
          picture: header.size, asked: asked, rect: made.rect, bytes: made.bytes, orientation: header.orientation)
      }
    } catch {
      switch error {
      case .corrupt, .truncated, .unsupported, .overLimit: return nil
      default: throw Finding("an error that does not blame the file: \(error.kind): it \(error)")
      }
    }
  }
}
