import FaceCrop
import Glibc
import Synchronization

/// The handling of a mapped input that another program truncates during reading. The reading thread gets SIGBUS.
enum CutShortInput {
  /// Ends the process with a message and status 1 in that case. Nothing is left, as incomplete outputs have no name.
  static func watch() {
    signal(SIGBUS) { _ in CutShortInput.end() }
  }

  private static func end() {
    let message: StaticString = "facecrop: input: another program truncated the file during reading\n"
    _ = unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    _exit(1)
  }

  /// Lets a run of several inputs continue. Missing bytes are read as zeros, and ``check()`` then rejects the result.
  /// The only memory cost is that of the missing pages.
  static func fillIn() {
    _ = note.load(ordering: .relaxed)
    var action = sigaction()
    action.sa_flags = SA_SIGINFO
    unsafe action.__sigaction_handler.sa_sigaction = { _, info, _ in
      // The address must be a page after a file's end, not another bus error.
      guard let info = unsafe info, unsafe info.pointee.si_code == busAddressError,
        let address = unsafe info.pointee._sifields._sigfault.si_addr
      else { return CutShortInput.end() }
      let page = UInt(getpagesize())
      let start = unsafe UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: address) / page * page)
      let filled = unsafe mmap(start, Int(page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
      guard unsafe filled != MAP_FAILED else { return CutShortInput.end() }
      CutShortInput.note.store(true, ordering: .relaxed)
    }
    _ = unsafe sigaction(SIGBUS, &action, nil)
  }

  private static let note = Atomic(false)

  /// The error of an input that was truncated, once; nil for none.
  static var fault: FaceCropError? {
    note.exchange(false, ordering: .relaxed) ? .unreadable("another program truncated it during reading") : nil
  }

  /// Throws, once, if the last input was truncated.
  static func check() throws(FaceCropError) {
    if let fault { throw fault }
  }
}

/// BUS_ADRERR of sigaction(2), which glibc hides from Swift.
private let busAddressError: CInt = 2
