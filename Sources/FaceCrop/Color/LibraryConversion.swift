internal import CColorShim

/// What Little CMS converts, in memory and time that are known beforehand: tables that were looked into, and nothing else of a
/// profile. Used by one thread at a time.
@safe final class LibraryConversion {
  private let handle: OpaquePointer

  /// Bytes that Little CMS gets, all at once, for a profile of so many: measured are 15 for each and 0.7 MB.
  static func memory(for profileBytes: Int) -> Int { 1 << 20 + 16 * profileBytes }

  /// Nil when it leads nowhere.
  convenience init?(_ tags: ICCTags, _ layout: FCColorLayout) throws(FaceCropError) {
    let profile = tags.profile(of: ICCModel.tagsOfTables)
    try self.init(profile: profile, layout, memory: Self.memory(for: profile.count))
  }

  /// - Parameter profile: that was looked into.
  init?(profile: [UInt8], _ layout: FCColorLayout, memory: Int) throws(FaceCropError) {
    var handle: OpaquePointer?
    let status = unsafe profile.withUnsafeBufferPointer { bytes in
      unsafe bytes.isEmpty
        ? .unusable : fccolor_transform_create(bytes.baseAddress!, bytes.count, layout, memory, &handle)
    }
    if status == .outOfMemory { throw .outOfMemory }
    guard let made = unsafe handle else { return nil }
    unsafe self.handle = made
  }

  deinit {
    unsafe fccolor_transform_destroy(handle)
  }

  /// Bytes that Little CMS took at its most, of those that it got.
  var usedBytes: Int { unsafe fccolor_transform_used_bytes(handle) }

  /// Converts pixels; in place, where they stay as large as they are.
  func convert(_ from: UnsafePointer<UInt8>, to: UnsafeMutablePointer<UInt8>, count: Int) {
    unsafe fccolor_transform_apply(handle, from, to, count)
  }
}
