extension ImageHeader {
  /// Stores the profile and the EXIF data of formats that store each in one piece. An empty profile means sRGB, and nil
  /// leaves the colors to the EXIF data. Empty EXIF data mean none. `isGray` means one color, with or without alpha.
  mutating func takeMetadata(profile: [UInt8]?, exif: [UInt8], isGray: Bool = false, _ faults: inout Faults) {
    metadataBytes = (profile?.count ?? 0) + exif.count
    if let tags = EXIF(exif) {
      self.exif = exif
      orientation = tags.orientation
      if profile == nil { take(profileOf: tags) }
    }
    guard let profile, !profile.isEmpty else { return }
    if let cleaned = ICCProfile.cleaned(profile, isGray ? .gray : .rgb) {
      self.profile = cleaned
    } else {
      faults.note(.profileDropped)
    }
  }

  /// Takes the colors that EXIF data name.
  mutating func take(profileOf tags: EXIF) {
    profile = tags.profile
    isProfileByEXIF = profile != nil
  }
}
