import FoundationEssentials
import Glibc

/// Returns the process's resident memory in bytes (proc(5), `statm`).
func residentMemory() -> Int? {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
  let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  return pages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
}
