import Foundation
import Testing

@testable import FaceCropServer

/// Settings from the file, the environment, and the command line.
struct SettingsTests {
  private func settings(_ yaml: String?, _ environment: [String: String] = [:], _ arguments: String...) throws
    -> Settings
  {
    let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID()).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    if let yaml { try Data(yaml.utf8).write(to: file) }
    return try Settings(file: yaml == nil ? nil : file.path, environment: environment, arguments: arguments)
  }

  @Test func theLastValueWins() throws {
    let yaml = "port: 1\nhost: a\nmemory: 64MiB\nhosts: [b.com, '*.c.com']\nunsafe: true\ndeadline: 2.5\n"
    let found = try settings(
      yaml, ["FACECROP_HOST": "b", "FACECROP_PORT": "2", "OTHER": "x"], "--port", "3", "--uploads=no")
    #expect((found.port, found.host, found.memory) == (3, "b", 64 << 20))
    #expect(found.hosts == ["b.com", "*.c.com"])
    #expect(found.unsafe && !found.uploads)
    #expect(found.deadline == .milliseconds(2_500))
    #expect(try settings(nil, [:], "--unsafe", "--port=5").unsafe)
    #expect(try settings("").port == 8_080)
  }

  /// The printed settings are a file that sets the same values.
  @Test func printedSettingsCanBeRead() throws {
    var wanted = Settings()
    wanted.hosts = ["a.com", "*.b.com"]
    wanted.cacheMemory = 12_345
    wanted.idleTimeout = .milliseconds(1_500)
    wanted.waiting = 7
    wanted.host = "::1"
    wanted.folder = "/srv/my photos: # \"2026\"\t\\"
    wanted.s3Endpoint = "https://s3.example.com:9000"
    wanted.cacheFolder = "~/cache"
    wanted.s3AccessKey = "- null"
    let found = try settings(wanted.yaml)
    #expect(found.yaml == wanted.yaml)
    #expect(found.yaml.contains("cache-memory: 12345\n") && found.yaml.contains("idle-timeout: 1.5\n"))
    for setting in Setting.all { #expect(setting.text(found) == setting.text(wanted), "\(setting.name)") }
  }

  @Test func keysAreNotPrinted() throws {
    let found = try settings(nil, ["FACECROP_SIGNING_KEY": "0123456789abcdef0", "FACECROP_S3_SECRET_KEY": "secret"])
    #expect(found.signingKeys == ["0123456789abcdef0"])
    #expect(!found.yaml.contains("0123456789abcdef0") && !found.yaml.contains("secret\n"))
    #expect(found.yaml.contains("# signing-key is set\n"))
    #expect(try settings(found.yaml).signingKeys == [])
  }

  /// Kubernetes sets this for a service called "facecrop"; other wrong ports are faults.
  @Test func serviceLinksAreNoPorts() throws {
    #expect(try settings("port: 5", ["FACECROP_PORT": "tcp://10.0.0.1:8080"]).port == 5)
    #expect(throws: SettingsError.self) { try settings(nil, ["FACECROP_PORT": "http://10.0.0.1"]) }
  }

  /// Misspelled variables are reported. The library's and those that Kubernetes sets for services are not.
  @Test func unknownVariablesAreNamed() throws {
    let found = try settings(
      nil,
      [
        "FACECROP_PORTT": "3", "FACECROP_CACHE-SIZE": "1", "FACECROP_": "", "FACECROP_MODELS": "/m", "FACECROP": "/f",
        "FACECROPS_X": "", "FACECROP_PORT": "tcp://10.0.0.1:80", "FACECROP_SERVICE_HOST": "10.0.0.1",
        "FACECROP_SERVICE_PORT_HTTP": "80", "FACECROP_PORT_80_TCP": "tcp://10.0.0.1:80",
        "FACECROP_PORT_80_TCP_ADDR": "10.0.0.1", "FACECROP_WEB_PORT": "tcp://10.0.0.1:80",
        "FACECROP_WEB_PORT_80_TCP_PROTO": "tcp", "FACECROP_WEB_PORTS": "80", "FACECROP_HTTP_PORT": "80",
      ])
    #expect(
      found.unknownVariables == [
        "FACECROP_", "FACECROP_CACHE-SIZE", "FACECROP_HTTP_PORT", "FACECROP_PORTT", "FACECROP_WEB_PORTS",
      ])
    let ours = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.variable, $0.text(Settings())) })
    #expect(try settings(nil, ours).unknownVariables.isEmpty)
  }

  /// A value of the file that the environment overrides has its place, for a warning at SIGHUP. An equal one has none.
  @Test func overriddenSettingsAreNamed() throws {
    let yaml = "port: 1\nsigning-key: a key of the file\nhost: a\nmax-age: 5\n"
    let environment = ["FACECROP_SIGNING_KEY": "a key of the environment", "FACECROP_HOST": "a"]
    let found = try settings(yaml, environment, "--port", "2")
    #expect(found.overridden.keys.sorted() == ["port", "signing-key"])
    #expect(found.overridden["signing-key"]?.hasSuffix(": line 2: signing-key") == true)
    #expect(found.place("signing-key") == "FACECROP_SIGNING_KEY" && !"\(found.overridden)".contains("key of"))
  }

  /// Settings with which the server could serve no image.
  @Test(arguments: [
    (["--unsafe"], 1), (["--folder", "/"], 1), (["--unsafe", "--folder", "/"], 0), (["--unsafe", "--uploads"], 0),
    (["--unsafe", "--uploads=no"], 1), (["--unsafe", "--folder", "/nowhere"], 1),
    (["--unsafe", "--folder", "/etc/passwd"], 1),
    (["--signing-key", "0123456789abcdef", "--hosts", "a.com"], 0), ([], 2),
    (["--unsafe", "--hosts", "http://h:8099/"], 1), (["--unsafe", "--hosts", "*"], 1),
    (["--unsafe", "--hosts", "a b"], 1),
    (["--unsafe", "--hosts", "h:0"], 1), (["--unsafe", "--hosts", "h:8099,*.a.com:80,10.0.0.1"], 0),
    (["--unsafe", "--s3-endpoint", "ftp://x", "--s3-buckets", "b"], 1),
    (["--unsafe", "--s3-endpoint", "https://x"], 1),
    (["--unsafe", "--s3-endpoint", "https://x", "--s3-buckets", "b"], 0),
  ])
  func faultsOfReadiness(arguments: [String], count: Int) throws {
    let faults = try Settings(file: nil, environment: [:], arguments: arguments).faults
    #expect(faults.count == count, "\(faults)")
  }

  /// SIGHUP applies new keys.
  @Test func keysAreTakenWithoutARestart() throws {
    let live = LiveSettings(try settings("signing-key: the first of two keys\nunsafe: true\nport: 1\n"))
    let others = try live.take(try settings("signing-key: the second of two keys\nport: 2\nmemory: 1GiB\nmax-age: 5\n"))
    #expect(Set(others) == ["port", "memory"])
    #expect(live.value.signingKeys == ["the second of two keys"] && !live.value.unsafe)
    #expect(live.value.port == 1 && live.value.maxAge == 5)
    #expect(LiveSettings.reloadable.isSubset(of: Setting.all.map(\.name)))
  }

  /// Settings with which every image would be refused change nothing.
  @Test func keysAreNotLost() throws {
    let live = LiveSettings(try settings("signing-key: the first of two keys\n"))
    #expect(throws: SettingsError.self) { try live.take(try settings("max-age: 5\n")) }
    #expect(live.value.signingKeys == ["the first of two keys"] && live.value.maxAge == 86_400)
  }

  /// Some descriptors are reserved for files.
  @Test func connectionsLeaveDescriptors() {
    #expect(Descriptors.raiseLimit() == Descriptors.limit)
    #expect(Descriptors.connections(within: 1_024) == 872)
    // Each connection may have a folder and a file.
    for limit in Descriptors.fewest...300 {
      let connections = Descriptors.connections(within: limit)
      #expect(connections >= 1 && 17 + 3 * connections <= limit || limit - connections >= 128 + 17)
    }
    #expect((Descriptors.open ?? 0) >= 3)
  }

  @Test(arguments: [
    ("prot: 1", "line 1"), ("signing_key: a", "write signing-key"), ("port: x", "port"),
    ("log-level: loud", "log-level"),
    ("log-format: xml", "text, json"), ("port: 70000", "65535"),
    ("memory: 12MP", "memory"), ("- a", "name: value"),
    ("unsafe: maybe", "unsafe"), ("deadline: 0", "deadline"), ("port: {a: 1}", "port"), ("a: [", "not closed"),
    ("signing-key: short", "16"), ("s3-buckets: [a]", "s3-endpoint"), ("max-body: 9999999999999TiB", "max-body"),
  ])
  func faults(yaml: String, word: String) throws {
    let fault = #expect(throws: SettingsError.self) { try settings(yaml) }
    #expect(fault?.description.contains(word) == true, "\(fault?.description ?? "")")
  }

  @Test(arguments: [("30MP", 30_000_000), ("1.5MP", 1_500_000), ("1500000", 1_500_000), ("1000MP", 1_000_000_000)])
  func pixelsHaveAUnit(text: String, pixels: Int) throws {
    #expect(try settings("max-pixels: \(text)").pixels == pixels)
  }

  @Test(arguments: ["0MP", "1001MP", "MP", "30MiB", "-1MP", "99999999999999999MP"])
  func otherPixelsAreFaults(text: String) {
    #expect(throws: SettingsError.self) { try settings("max-pixels: \(text)") }
  }

  /// A fault has the line and a remedy, and nothing of the file, which may have keys.
  @Test(arguments: [
    ("signing-key: SECRET\nport: 1\nport: 2\n", "line 3: port is set twice"),
    ("signing-key: SECRET\r\n\r\n'signing-key' : SECRET\r\n", "line 3: signing-key is set twice"),
    ("SECRET: 1\nSECRET: 2\n", "a name is written twice"), ("SECRET: 1\n", "line 1: no setting"),
    ("port: 1\nsigning-key: SECRET: x\n", "line 2: a colon"),
    ("port: 1\nsigning-key:SECRET\nhost: a\n", "line 2: a name"),
    ("signing-key:SECRET\n", "no settings"), ("signing-key: 'SECRET\nport: 1\n", "line 1: a quotation mark"),
    ("port: 1\n\tsigning-key: SECRET\n", "line 2: a tab"), ("\tsigning-key: SECRET\n", "line 1: a tab"),
    ("signing-key: `SECRET\n", "line 1: a tab, @, `"), ("signing-key: *SECRET\n", "line 1: a value begins"),
    ("hosts: [*SECRET.example.com]\n", "line 1: a value begins"),
    ("signing-key: [SECRET\nport: 1\n", "line 1: a list"), ("signing-key: \"\\SECRET\"\n", "line 1: a backslash"),
    ("port: 1\n signing-key: SECRET\n", "line 2: "), ("  port: 1\nsigning-key: SECRET\n", "line 2: "),
    ("signing-key: SECRET\n---\nport: 1\n", "line 2: a second document"),
    ("port: 1\nsigning-key: SECRET\u{1}\n", "line 2: a control character"),
    ("signing-key: {SECRET: 1}\n", "line 1: signing-key must be a value"),
    ("signing-key: [{SECRET: 1}]\n", "line 1: signing-key must be a value"),
    ("port: SECRET\n", "line 1: port must be a whole number"), ("unsafe: [SECRET]\n", "line 1: unsafe must be true"),
    ("log-level: SECRET\n", "line 1: log-level must be one of"), ("memory: SECRET\n", "line 1: memory must be"),
    ("\ndeadline: SECRET\n", "line 2: deadline must be"), ("memory: 0\n", "line 1: memory must be at least 16MiB"),
    ("port: 1\nsigning-key: SECRET\n", "line 2: signing-key has a key"),
    ("thumbor-key: SECRET\n", "line 1: thumbor-key has"), ("playground-token: SECRET\n", "line 1: playground-token"),
    ("memory: 10\n", "at least 16MiB"),
  ])
  func faultsOfTheFileShowNoValue(yaml: String, words: String) throws {
    let fault = try #require(throws: SettingsError.self) { try settings(yaml) }
    #expect(fault.description.contains(words), "\(fault)")
    #expect(!fault.description.contains("SECRET"), "\(fault)")
  }

  /// Neither do faults of the environment, of keys on the command line, and of readiness, which clients can read.
  @Test func otherFaultsShowNoKey() throws {
    for (environment, arguments) in [
      (["FACECROP_PORT": "SECRET"], []), (["FACECROP_SIGNING_KEY": "SECRET"], []), ([:], ["--signing-keys=SECRET"]),
      ([:], ["--signing-key", "a first key of 16", "SECRET"]), ([:], ["--playground-token", "SECRET"]),
    ] as [([String: String], [String])] {
      let fault = try #require(throws: SettingsError.self) {
        try Settings(file: nil, environment: environment, arguments: arguments)
      }
      #expect(!fault.description.contains("SECRET"), "\(fault)")
    }
    let faults = try Settings(
      file: nil, environment: [:],
      arguments: ["--unsafe", "--hosts", "a.com,https://me:SECRET@b.com", "--s3-endpoint", "ftp://me:SECRET@c.com"]
    ).faults
    #expect(faults.count == 2 && faults[0].contains("--hosts: entry 2 ") && faults[1].contains("--s3-endpoint "))
    #expect(!faults.joined().contains("SECRET"))
  }

  /// Settings that can never work are reported by `--check`.
  @Test func uselessSettings() throws {
    func read(_ arguments: String...) throws -> Settings {
      try Settings(file: nil, environment: [:], arguments: ["--unsafe"] + arguments)
    }
    for hosts in [".example.com", "a..com", "*..com", "a.com,.b.com"] {
      let fault = try read("--hosts", hosts).faults.first ?? ""
      #expect(fault.contains("--hosts: entry") && fault.contains("*.example.com"), "\(hosts) \(fault)")
    }
    #expect(try read("--hosts", "a.com,*.b.com,c.com:8080,10.0.0.1").faults.isEmpty)
    for endpoint in ["collector:4318", "127.0.0.1:4318", "//collector", "ftp://collector:4318"] {
      let fault = try read("--hosts", "a.com", "--trace-endpoint", endpoint).uselessSettings.first ?? ""
      #expect(fault.contains("(write http://collector:4318)"), "\(endpoint)")
    }
    #expect(try read("--hosts", "a.com", "--trace-endpoint", "http://[::1]:4318/v1").uselessSettings.isEmpty)
    #expect(try read("--hosts", "a.com").uselessSettings.isEmpty)
  }

  /// Editors on Windows begin a file with a byte order mark.
  @Test func byteOrderMarks() throws {
    #expect(try settings("\u{FEFF}port: 1\r\nunsafe: true\r\n").port == 1)
    let fault = try #require(throws: SettingsError.self) { try settings("\u{FEFF}port: x\r\n") }
    #expect(fault.description.contains("line 1"), "\(fault)")
  }

  @Test(arguments: [
    ["--prot", "1"], ["port"], ["--port"], ["--port", "--unsafe"], ["--hosts"], ["--folder", "--unsafe"],
  ])
  func wrongArguments(arguments: [String]) {
    #expect(throws: SettingsError.self) { try Settings(file: nil, environment: [:], arguments: arguments) }
  }

  /// A setting that takes no fractions says so.
  @Test func wholeNumbersAreNamed() throws {
    for setting in Setting.all {
      var changed = Settings()
      do throws(SettingsError) {
        try setting.set(&changed, "x")
      } catch {
        let text = error.description
        guard text.contains("number") else { continue }
        let takesFractions = (try? setting.set(&changed, "1.5")) != nil
        #expect(text.contains("a whole number") == !takesFractions, "\(setting.name) \(text)")
      }
    }
  }

  @Test func theVersionIsTheChangelogs() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let newest = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
    #expect(newest == "## \(ServerCommand.configuration.version)")
  }

  @Test func namesAreUsedOnce() {
    #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
    #expect(Setting.all.allSatisfy { $0.help.hasSuffix(".") && $0.help.count <= 75 })
  }
}
