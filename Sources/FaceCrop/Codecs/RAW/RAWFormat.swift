extension FormatDescriptor {
  /// Of those that begin as no other file does. NEF, ARW, DNG, PEF and SRW begin like any TIFF file, and are told from these when a
  /// picture is opened.
  static let raw = FormatDescriptor(
    format: .raw, name: "RAW",
    fileExtensions: ["dng", "cr2", "cr3", "nef", "nrw", "arw", "raf", "orf", "rw2", "pef", "srw"],
    mediaType: "image/x-dcraw",
    begins: { RAWContents.Beginning($0) != nil },
    open: { (bytes, allowsDamage, job) throws(FaceCropError) in
      try RAWSession(bytes, allowsDamage: allowsDamage, job: job)
    })
}
