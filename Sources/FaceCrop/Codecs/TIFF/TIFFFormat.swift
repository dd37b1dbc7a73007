extension FormatDescriptor {
  static let tiff = FormatDescriptor(
    format: .tiff, name: "TIFF", fileExtensions: ["tiff", "tif"], mediaType: "image/tiff",
    begins: { TIFFFile.Kind($0) != nil },
    open: { (bytes, allowsDamage, job) throws(FaceCropError) in
      // Most cameras' RAW files begin like any TIFF file.
      if try RAWDirectories.isRAW(bytes, job) {
        return try RAWSession(bytes, allowsDamage: allowsDamage, job: job)
      }
      return try TIFFSession(bytes, allowsDamage: allowsDamage, job: job)
    })
}
