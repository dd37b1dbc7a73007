import ArgumentParser
import FaceCrop

/// How prints are spread over pages.
struct SheetPages: Sendable {
  let measures: SheetLayout.Measures
  let print: PixelSize
  /// Prints of each face; nil for as many as fit on one page.
  let copies: Int?
  let hasMarks: Bool

  /// Inches of a line of text under a print: 5 mm.
  static let captionHeight = 5 / 25.4
  /// Each page is a file that is open until all are complete.
  private static let mostPages = 100

  /// Prints of each face, of so many faces.
  func copies(for faces: Int) throws -> Int { try copies ?? max(layout(of: 1).capacity / faces, 1) }

  /// The pages, all full but the last.
  ///
  /// - Parameter faces: One at least.
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
        "sheet cannot be laid out: \(message) (change --paper, --print, --copies, --gap or --margin)")
    }
  }
}
