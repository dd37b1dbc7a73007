extension ImageHeader {
  /// Takes the profile and the EXIF data of formats that store them whole.
  ///
  /// - Parameters:
  ///   - profile: empty when there is none.
  ///   - exif: empty when there are none.
  mutating func takeMetadata(profile: [UInt8], exif: [UInt8], _ faults: inout Faults) {
    metadataBytes = profile.count + exif.count
    if let tags = EXIF(exif) {
      self.exif = exif
      orientation = tags.orientation
    }
    if profile.isEmpty { return }
    // Gray with alpha becomes RGBA, which a profile of gray does not describe.
    if ICCProfile.fits(profile, isGray ? .gray : .rgb) {
      self.profile = profile
    } else {
      faults.note(.profileDropped)
    }
  }
}
