import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The settings in use, read again at SIGHUP. Some take effect at once, the others at the next start.
final class LiveSettings: Sendable {
  private let state: Mutex<Settings>

  init(_ settings: Settings) { state = Mutex(settings) }

  var value: Settings { state.withLock { $0 } }

  /// The names of settings that take effect without a restart.
  static let reloadable: Set = ["thumbor-key", "imgproxy-key", "signing-key", "unsafe", "max-age", "largest-side"]

  /// Applies the changed settings that can take effect now. Throws if no request could be verified with the new ones.
  ///
  /// - Returns: The names of the other changed settings.
  func take(_ new: Settings) throws(SettingsError) -> [String] {
    if let fault = new.keyFault { throw SettingsError(fault) }
    var current = value
    var others: [String] = []
    for setting in Setting.all where setting.text(new) != setting.text(current) {
      if Self.reloadable.contains(setting.name) {
        try setting.set(&current, setting.text(new))
      } else {
        others.append(setting.name)
      }
    }
    state.withLock { $0 = current }
    return others
  }
}

/// A service that reads the settings again at each SIGHUP. Invalid ones change nothing.
struct SettingsReloader: Service {
  let live: LiveSettings
  let logger: Logger
  let read: @Sendable () throws(SettingsError) -> Settings

  func run() async throws {
    let signals = await UnixSignalsSequence(trapping: .sighup)
    await cancelWhenGracefulShutdown {
      for await _ in signals { reload() }
    }
  }

  private func reload() {
    do throws(SettingsError) {
      let new = try read()
      let others = try live.take(new)
      logger.info("the settings were read again")
      // Somebody who rotates a key in the file would wait for it in vain.
      for (name, place) in new.overridden.sorted(by: { $0.key < $1.key }) where LiveSettings.reloadable.contains(name) {
        logger.warning(
          "a setting is overridden", metadata: ["ignored": "\(place)", "used": "\(new.place(name))"])
      }
      if !others.isEmpty {
        logger.warning(
          "new settings need a restart", metadata: ["settings": "\(others.joined(separator: ", "))"])
      }
    } catch {
      logger.error("the settings were not taken", metadata: ["error": "\(error)"])
    }
  }
}
