extension TIFFFile {
  /// Returns the entries in ``EXIFTags``, of a page and the directories that it names, as EXIF data. The file itself is
  /// not usable as EXIF data, because it contains the pixels.
  func exif(_ main: [Int: Entry], _ job: Job) throws(FaceCropError) -> [UInt8] {
    var data = EXIF(kind.order)
    var directories: [EXIF.Directory: [Int: Entry]] = [.main: main]
    var bytes = 0
    // Each directory is named by an earlier one.
    for directory in EXIF.Directory.allCases {
      for (tag, entry) in directories[directory] ?? [:] {
        switch EXIFTags.form(of: tag, in: directory) {
        case .directory(let inner)?:
          if let offset = number(entry) { directories[inner] = try entries(at: offset, job) }
        case .some:
          guard let type = EXIF.ValueType(rawValue: entry.type) else { continue }
          bytes += entry.values.count
          try job.limits.check(.metadataBytes, bytes)
          data.values[directory, default: [:]][tag] = EXIF.Value(type: type, bytes: self.bytes(entry))
        case nil: continue
        }
      }
    }
    return data.written() ?? []
  }

  /// Returns the credits of a page: its XMP packet and IPTC records.
  func credits(_ entries: [Int: Entry]) -> CreditSources {
    var credits = CreditSources()
    if let packet = entries[TIFFTag.xmp] { credits.take(\.xmp, of: packet.values.count) { bytes(packet) } }
    if let records = entries[TIFFTag.iptc] {
      credits.take(\.iptc, of: records.values.count) {
        let bytes = bytes(records)
        // Some programs store the records as 32-bit numbers in the file's byte order.
        guard records.type == EXIF.ValueType.long.rawValue, bytes.first != 0x1C else { return bytes }
        return stride(from: 0, to: bytes.count - 3, by: 4).flatMap { bytes[$0..<$0 + 4].reversed() }
      }
    }
    return credits
  }
}
