/// The header of a box in a file (ISO/IEC 14496-12, 4.2).
struct BoxHeader {
  let type: FourCharacterCode
  /// The range of the content, which may reach out of the file.
  let content: Range<Int>

  /// Reads a header; nil at the end of the file, and for an impossibly large box.
  init?(in bytes: Span<UInt8>, at offset: Int) throws(FaceCropError) {
    guard let short = bytes.uint32(at: offset), let code = bytes.uint32(at: offset + 4) else { return nil }
    type = FourCharacterCode(value: UInt32(code))
    var (size, header) = (short, 8)
    if short == 1 {
      guard let long = bytes.uint64(at: offset + 8) else { return nil }
      (size, header) = (long, 16)
    }
    if short == 0 { size = bytes.count - offset }
    guard size >= header else { throw .corrupt("a box is shorter than its header") }
    content = offset + header..<offset + size
  }
}
