import ArgumentParser
import FaceCrop

/// The distribution of prints over pages.
struct SheetPages: Sendable {
  let measures: SheetLayout.Measures
  let print: PixelSize
  /// The prints of each face; nil for as many as fit on one page.
  let copies: Int?
  let hasMarks: Bool

  /// The height of a line of text under a print, in inches: 5 mm.
  static let captionHeight = 5 / 25.4
  /// Each page is a file that is open until all are complete.
  private static let mostPages = 100

  /// Returns the number of prints of each face.
  func copies(for faces: Int) throws -> Int { try copies ?? max(layout(of: 1).capacity / faces, 1) }

  /// Returns the pages for at least one face. All are full but the last.
  func layouts(for faces: Int) throws -> [SheetLayout] {
    let capacity = try layout(of: 1).capacity
    let (count, overflows) = try copies(for: faces).multipliedReportingOverflow(by: faces)
    let pages = (overflows ? Int.max : count - 1) / capacity + 1
    guard pages <= Self.mostPages else {
      throw ValidationError(
        "--copies asks for more than \(Self.mostPages) pages, of \(capacity) prints each (use fewer --copies, or larger --paper)"
      )
    }
    return try (0..<pages).map { page in try layout(of: min(capacity, count - page * capacity)) }
  }

  private func layout(of count: Int) throws -> SheetLayout {
    do throws(FaceCropError) {
      return try SheetLayout(measures, print: print, count: count, hasMarks: hasMarks)
    } catch {
      guard case .invalidRequest(let message) = error else { throw error }
      throw ValidationError(
        "sheet cannot be laid out: \(message) (change --paper, --size, --copies, --gap or --margin)")
    }
  }
}
