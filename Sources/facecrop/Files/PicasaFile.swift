import FaceCrop
import Synchronization
import SystemPackage

/// The file `.picasa.ini` in the folder of an image, in which Picasa stores names of people.
enum PicasaFile {
  /// Returns the path of the file beside an image, if it exists.
  static func path(beside image: FilePath) -> (path: FilePath, version: FileVersion)? {
    guard image != FilePath(Input.standard), image.lastComponent != nil else { return nil }
    for name in [".picasa.ini", "Picasa.ini"] {
      let path = image.removingLastComponent().appending(name)
      if let version = FileVersion(path) { return (path, version) }
    }
    return nil
  }

  /// The last file that was read. Most images of a run lie in one folder, and its file can have megabytes.
  private static let last = Mutex<(path: FilePath, version: FileVersion, file: PicasaINI)?>(nil)

  /// Returns the faces of the image; empty without a readable file.
  static func regions(of image: FilePath, within time: Duration) -> [FaceRegion] {
    guard let name = image.lastComponent?.string, let (path, version) = path(beside: image) else { return [] }
    return last.withLock { last in
      if let last, last.path == path, last.version == version { return last.file.regions(of: name) }
      guard let bytes = try? Input.readToEnd(of: path, atMost: PicasaINI.mostBytes, within: ReadingTime(time)) else {
        return []
      }
      let file = PicasaINI(bytes)
      last = (path, version, file)
      return file.regions(of: name)
    }
  }
}
