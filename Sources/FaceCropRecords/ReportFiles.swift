/// The files of a report's page, of which the review and the playground of the server have parts.
public enum ReportFiles {
  public static let html = String(decoding: PackageResources.report_html, as: UTF8.self)
  public static let css = String(decoding: PackageResources.report_css, as: UTF8.self)

  /// Returns the script of a page that makes elements and draws.
  public static func basics(and parts: [[UInt8]]) -> String {
    ([PackageResources.basics_js] + parts).map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }

  /// Returns the script of the editor. `store` keeps its corrections.
  public static func editor(_ store: [UInt8]) -> String {
    basics(and: [
      PackageResources.page_js, PackageResources.frames_js, PackageResources.changes_js, store,
      PackageResources.list_js, PackageResources.brush_js, PackageResources.editor_js,
    ])
  }
}
