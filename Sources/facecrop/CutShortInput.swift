import FaceCrop
import Glibc
import Synchronization

/// A mapped input that another program cuts short while it is read: the system says so by SIGBUS, on the thread that reads.
enum CutShortInput {
  /// Ends the process with a sentence and status 1 when it happens. Nothing is left behind: an output that is not complete
  /// has no name.
  static func watch() {
    signal(SIGBUS) { _ in CutShortInput.end() }
  }

  private static func end() {
    let message: StaticString = "facecrop: input: another program truncated the file during reading\n"
    _ = unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    _exit(1)
  }

  /// Lets a run of many inputs go on: where there are no bytes any more there are zeros, and ``check()`` says that what was made of
  /// them counts for nothing. Costs no memory but the pages that are missing.
  static func fillIn() {
    _ = note.load(ordering: .relaxed)
    var action = sigaction()
    action.sa_flags = SA_SIGINFO
    unsafe action.__sigaction_handler.sa_sigaction = { _, info, _ in
      // No page behind a file's end, and nothing else that a processor or a bus has to complain of.
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

  /// Throws, once, if it has happened to the input that was read last.
  static func check() throws(FaceCropError) {
    guard note.exchange(false, ordering: .relaxed) else { return }
    throw .unreadable("another program truncated it during reading")
  }
}

/// BUS_ADRERR of sigaction(2), which glibc hides from Swift.
private let busAddressError: CInt = 2
