/// A session that shows an image with alpha as a program shows it that ignores alpha, or flattens the image on black.
/// Another one shows alpha itself.
final class UnblendedSession: OrientedSession {
  enum Showing: CaseIterable {
    case colors, onBlack, alpha
  }

  private let showing: Showing

  init(_ session: any ImageSession, _ showing: Showing) {
    self.showing = showing
    super.init(session, session.header.orientation)
  }

  override var header: ImageHeader {
    var header = super.header
    (header.hasAlpha, header.isGray) = (false, showing == .alpha)
    return header
  }

  /// Full size, because colors are weighted by alpha at other scales.
  override var scales: [Int] { [8] }

  override func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
    try unsafe withUnsafeMutablePointer(to: &sink) { (sink) throws(FaceCropError) in
      var unblended = unsafe UnblendedSink(showing: showing, sink: sink)
      return try super.decode(region, into: &unblended)
    }
  }
}

/// A sink that passes on rows in RGBA without alpha. The sink behind must outlive it.
@safe private struct UnblendedSink<Sink: RowSink>: RowSink {
  let showing: UnblendedSession.Showing
  let sink: UnsafeMutablePointer<Sink>
  var shown: [UInt8] = []

  mutating func restart() { unsafe sink.pointee.restart() }

  mutating func take(_ rows: Span<UInt8>, count: Int) {
    shown.removeAll(keepingCapacity: true)
    unsafe rows.withUnsafeBufferPointer { rows in
      for pixel in stride(from: 0, to: rows.count, by: 4) {
        let alpha = unsafe rows[pixel + 3]
        switch showing {
        case .colors: unsafe shown += rows[pixel..<pixel + 3]
        case .onBlack:
          for place in pixel..<pixel + 3 { unsafe shown.append(UInt8((Int(rows[place]) * Int(alpha) + 127) / 255)) }
        case .alpha: shown.append(alpha)
        }
      }
    }
    unsafe sink.pointee.take(shown.span, count: count)
  }
}
