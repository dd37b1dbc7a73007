import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The images of a review, by their numbers in the report. Only images in formats that browsers show are sent.
struct ReviewFiles: Sendable {
  let desk: ReviewDesk

  /// Upper bound of a file in bytes.
  private static let mostBytes = 1 << 30
  private static let part = 256 << 10

  /// Returns the image itself.
  func input(_ index: Int) async throws(ServiceError) -> Response {
    guard let entry = await desk.entry(index),
      let bytes = desk.engine.record.path(of: entry.location, entry.locationBase64),
      let path = String(validating: bytes, as: UTF8.self), let slash = path.lastIndex(of: "/")
    else { throw .notFound }
    return try await file(String(path[path.index(after: slash)...]), in: String(path[...slash]), isVersioned: false)
  }

  func output(_ index: Int, _ output: Int, _ isVersioned: Bool) async throws(ServiceError) -> Response {
    guard let outputs = await desk.entry(index)?.outputs, outputs.indices.contains(output) else { throw .notFound }
    return try await file(outputs[output].file, in: desk.engine.record.outputs, isVersioned: isVersioned)
  }

  /// Returns the thumbnail of an image, or of one of its outputs.
  func thumbnail(_ index: Int, _ output: Int?, _ isVersioned: Bool) async throws(ServiceError) -> Response {
    guard let name = await desk.entry(index)?.thumbnail, !name.isEmpty,
      name.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
    else { throw .notFound }
    let suffix = output.map { "-\($0 + 1)" } ?? ""
    return try await file("\(name)\(suffix).jpg", in: desk.engine.record.thumbnails, isVersioned: isVersioned)
  }

  /// Sends a file below a folder, without following links.
  private func file(_ name: String, in folder: String, isVersioned: Bool) async throws(ServiceError) -> Response {
    let origin = FolderOrigin(root: folder, limit: Self.mostBytes)
    let (file, type) = try await origin.offPool { () throws(ServiceError) in
      let file = try OpenedFile(name, in: folder)
      guard file.bytes <= Self.mostBytes else { throw .notFound }
      guard let type = Self.mediaType(try file.read(at: 0, atMost: 4_096)) else { throw .notFound }
      return (file, type)
    }
    var headers: HTTPFields = [.contentType: type]
    if isVersioned { headers[.cacheControl] = "private, max-age=86400, immutable" }
    let body = ResponseBody(contentLength: file.bytes) { writer in
      var offset = 0
      while offset < file.bytes {
        let start = offset
        let bytes = try await origin.offPool { () throws(ServiceError) in
          try file.read(at: start, atMost: min(Self.part, file.bytes - start))
        }
        // A file that was cut meanwhile ends the connection.
        guard !bytes.isEmpty else { throw ServiceError.hungUp }
        try await writer.write(ByteBuffer(bytes: bytes))
        offset += bytes.count
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  private static func mediaType(_ start: [UInt8]) -> String? {
    let format = try? ImageSource.bytes(start).format()
    return (ImageFormat.stills + [.gif]).first { $0 == format }?.mediaType
  }
}
