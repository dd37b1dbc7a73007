internal import CColorShim

/// A conversion by Little CMS with bounded memory and time. It passes only checked tables of the profile. For one
/// thread at a time.
@safe final class LibraryConversion: ShimObject {
  /// Returns the bytes that Little CMS gets in one block for a profile of this size. Measurements show 15 for each
  /// byte, and 0.7 MB.
  static func memory(for profileBytes: Int) -> Int { 1 << 20 + 16 * profileBytes }

  /// Creates a conversion; nil if the profile is unusable.
  convenience init?(_ tags: ICCTags, _ layout: FCColor) throws(FaceCropError) {
    let profile = tags.profile(of: ICCModel.tagsOfTables)
    try self.init(profile: profile, layout, memory: Self.memory(for: profile.count))
  }

  /// Creates a conversion; nil if the profile, checked before, is unusable.
  init?(profile: [UInt8], _ layout: FCColor, memory: Int) throws(FaceCropError) {
    var handle: OpaquePointer?
    let status: FCStatus =
      unsafe profile.isEmpty
      ? .unsupported : fccolor_transform_create(profile, profile.count, layout, memory, &handle)
    if status == .outOfMemory { throw .outOfMemory }
    guard let made = unsafe handle else { return nil }
    try unsafe super.init(made, fccolor_transform_destroy)
  }

  /// The peak memory of Little CMS, in bytes.
  var usedBytes: Int { unsafe fccolor_transform_used_bytes(handle) }

  /// Converts pixels, in place if their size stays the same.
  func convert(_ from: UnsafePointer<UInt8>, to: UnsafeMutablePointer<UInt8>, count: Int) {
    unsafe fccolor_transform_apply(handle, from, to, count)
  }
}
