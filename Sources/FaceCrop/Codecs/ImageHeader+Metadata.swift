extension ImageHeader {
  /// Stores the profile and the EXIF data of formats that store each in one piece. Empty arrays mean none.
  mutating func takeMetadata(profile: [UInt8], exif: [UInt8], _ faults: inout Faults) {
    metadataBytes = profile.count + exif.count
    if let tags = EXIF(exif) {
      self.exif = exif
      orientation = tags.orientation
    }
    if profile.isEmpty { return }
    // Gray with alpha becomes RGBA, which a gray profile does not describe.
    if let cleaned = ICCProfile.cleaned(profile, isGray ? .gray : .rgb) {
      self.profile = cleaned
    } else {
      faults.note(.unusableProfile)
    }
  }
}
