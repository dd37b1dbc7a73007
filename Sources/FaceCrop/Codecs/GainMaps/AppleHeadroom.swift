internal import Glibc

/// The HDR headroom in Apple's maker note (Apple, "Applying Apple HDR effect to your photos").
enum AppleHeadroom {
  private static let (headroom, gain) = (0x21, 0x30)

  /// Returns the headroom in EXIF data, a TIFF structure, as a factor; nil if absent.
  static func factor(in exif: [UInt8], _ job: Job) -> Double? {
    unsafe exif.withUnsafeBufferPointer { bytes in
      guard let file = unsafe TIFFFile(ImageBytes(bytes, isFileMapping: false)), let first = file.firstDirectory,
        let main = try? file.entries(at: first, job), let directory = file.number(main[EXIFTags.exifDirectory]),
        let note = try? file.entries(at: directory, job)[EXIFTags.makerNote]?.values.lowerBound,
        file.contains("Apple iOS\0", at: note), file.contains("MM", at: note + 12),
        // The note's offsets are relative to its own start.
        let part = file.part(from: note, TIFFFile.Kind(.bigEndian)), let entries = try? part.entries(at: 14, job),
        let headroom = part.fraction(entries[headroom]), let gain = part.fraction(entries[gain])
      else { return nil }
      let stops =
        headroom < 1
        ? gain <= 0.01 ? 1.8 - 20 * gain : 1.601 - 0.101 * gain
        : gain <= 0.01 ? 3 - 70 * gain : 2.303 - 0.303 * gain
      return exp2(max(stops, 0))
    }
  }
}
