// swift-tools-version:6.2
import PackageDescription

/// Where OpenCV's headers are: Debian's folder, unless the environment names another.
let openCVHeaders = Context.environment["FACECROP_OPENCV_INCLUDE"] ?? "/usr/include/opencv4"

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Without optimization the kernels take fifty times as long, which tests would wait for.
let fast: [CSetting] = [.unsafeFlags(["-O2"], .when(configuration: .debug))]

/// A target in C or C++ without warnings, on the declarations that all shims share.
func shim(
  _ name: String, dependencies: [Target.Dependency] = ["CBasics"], path: String? = nil, libraries: [String] = [],
  settings: [CSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path,
    cSettings: settings + [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
    cxxSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A target in C that makes files for tests.
func fixtures(_ name: String, libraries: [String] = []) -> Target {
  shim(name, dependencies: [], path: "Tests/Support/\(name)", libraries: libraries)
}

let package = Package(
  name: "facecrop",
  products: [
    .library(name: "FaceCrop", targets: ["FaceCrop"]),
    // For the server, which is a package of its own.
    .library(name: "FaceCropRecords", targets: ["FaceCropRecords"]),
    .executable(name: "facecrop", targets: ["FaceCropCLI"]),
  ],
  traits: [
    .default(enabledTraits: ["HEIF"]),
    .trait(name: "HEIF", description: "Reads HEIC and AVIF by libde265 and dav1d, and writes AVIF by libaom."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    shim("CBasics", dependencies: []),
    shim("CHash"),
    shim("CMallocShim", dependencies: []),
    shim("CJPEGShim", libraries: ["jpeg"], settings: [.headerSearchPath(".")]),
    shim("CPNGShim", libraries: ["png", "z"]),
    // No libtiff to link: library.c loads it when it is called.
    shim("CTIFFShim", libraries: ["z"]),
    shim("CWebPShim", libraries: ["webp", "webpdemux", "webpmux"]),
    shim("CGIFShim"),
    shim("CHEIFShim", libraries: ["dav1d", "de265"]),
    // Nothing to link: library.c loads libjxl when it is called.
    shim("CJXLShim"),
    shim("CXMLShim", libraries: ["expat"]),
    shim("CNetworks", settings: fast),
    shim("CMatting", settings: fast),
    shim("CResampling", settings: fast),
    shim("CColorShim", libraries: ["lcms2"]),
    .target(
      name: "COpenCVShim",
      dependencies: ["CBasics"],
      // On a C++ target SwiftPM makes the resource bundle without generating an accessor, which would need Foundation.
      resources: [.copy("../../models")],
      // Nothing to link: library.cpp loads OpenCV when it is called.
      cxxSettings: [.unsafeFlags(["-isystem", openCVHeaders]), .treatAllWarnings(as: .error)]),
    .target(
      name: "FaceCrop",
      dependencies: [
        "CBasics", "CColorShim", "CGIFShim", "CHash", "CJPEGShim", "CJXLShim", "CMatting", "CNetworks",
        "COpenCVShim", "CPNGShim", "CResampling", "CTIFFShim", "CWebPShim", "CXMLShim",
        .target(name: "CHEIFShim", condition: .when(traits: ["HEIF"])),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "FaceCropRecords",
      dependencies: ["CBasics", "FaceCrop", .product(name: "SystemPackage", package: "swift-system")],
      resources: [
        "report.html", "report.css", "basics.js", "page.js", "frames.js", "changes.js", "list.js", "brush.js",
        "editor.js",
      ].map { .embedInCode("Page/\($0)") },
      swiftSettings: strict),
    .executableTarget(
      name: "FaceCropCLI",
      dependencies: [
        "CMallocShim", "FaceCrop", "FaceCropRecords",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/facecrop",
      // The page of facecrop-server has `server-store.js` in its place.
      resources: [.embedInCode("Batch/Report/Page/file-store.js")],
      swiftSettings: strict),
    fixtures("CJPEGFixtures", libraries: ["jpeg"]),
    fixtures("CRasterFixtures", libraries: ["gif", "png", "tiff", "webp", "webpdemux", "z"]),
    fixtures("CColorFixtures", libraries: ["lcms2"]),
    fixtures("CHEIFFixtures", libraries: ["heif"]),
    fixtures("CJXLFixtures", libraries: ["jxl"]),
    fixtures("CCost"),
    .target(
      name: "COpenCVReference",
      dependencies: ["COpenCVShim"],
      path: "Tests/Support/COpenCVReference",
      cxxSettings: [.unsafeFlags(["-isystem", openCVHeaders]), .treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("opencv_dnn"), .linkedLibrary("opencv_core")]),
    .target(
      name: "TestSupport",
      dependencies: [
        "CColorFixtures", "CJPEGFixtures", "CJXLFixtures", "CRasterFixtures",
        .target(name: "CHEIFFixtures", condition: .when(traits: ["HEIF"])),
      ],
      path: "Tests/Support/TestSupport",
      swiftSettings: strict),
    shim(
      "CFullDecode", dependencies: [], path: "Benchmarks/Sources/CFullDecode",
      libraries: ["heif", "jpeg", "png", "webp"]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CBasics", "CFullDecode", "CJPEGShim", "CNetworks", "COpenCVReference", "FaceCrop", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Benchmarks/Sources/bench",
      swiftSettings: strict),
    .executableTarget(
      name: "accuracy",
      dependencies: [
        "COpenCVShim", "FaceCrop",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Benchmarks/Sources/accuracy",
      swiftSettings: strict),
    .testTarget(
      name: "FaceCropTests",
      dependencies: [
        "CBasics", "CHash", "CJPEGShim", "CNetworks", "COpenCVReference", "COpenCVShim", "CResampling",
        "FaceCrop", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["Codecs/JPEG/IDENTITY.md"],
      swiftSettings: strict),
    .testTarget(
      name: "FaceCropCLITests",
      // The command itself, so that it is built before its tests run it.
      dependencies: ["FaceCrop", "FaceCropCLI", "TestSupport"],
      exclude: ["Help"],
      swiftSettings: strict),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "CCost", "FaceCrop", "FaceCropCLI", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Fuzz",
      exclude: [
        "Fuzzer", "README.md", "corpus", "dictionaries", "index_differential.c", "oss-fuzz", "run",
        "scans_differential.c",
      ],
      swiftSettings: strict),
  ],
  cLanguageStandard: .gnu17,
  cxxLanguageStandard: .cxx17
)

// The fuzzer (Tests/Fuzz/run): our own code, not the dependencies', says which of its edges an input takes, and is watched for
// wrong memory accesses and undefined behavior.
if Context.environment["FACECROP_FUZZ"] == "1" {
  let watchedC = ["-fsanitize=fuzzer-no-link,address,undefined", "-fno-sanitize-recover=undefined"]
  for target in package.targets where target.name == "CBasics" || target.name.hasSuffix("Shim") {
    target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(watchedC)]
    target.cxxSettings = (target.cxxSettings ?? []) + [.unsafeFlags(watchedC + ["-fno-sanitize=vptr"])]
  }
  let watchedSwift: [SwiftSetting] = [.unsafeFlags(["-sanitize=address,fuzzer", "-enable-testing"])]
  for target in package.targets where target.name == "FaceCrop" {
    target.swiftSettings = strict + watchedSwift
  }
  // The command as a library, without its main: the program's is libFuzzer's.
  package.products.removeAll { $0.name == "facecrop" }
  for (index, target) in package.targets.enumerated() where target.name == "FaceCropCLI" {
    package.targets[index] = .target(
      name: target.name, dependencies: target.dependencies, path: target.path, exclude: ["Main.swift"],
      resources: target.resources, swiftSettings: strict + watchedSwift)
  }
  package.targets.removeAll { $0.isTest }
  // The sanitizer has an allocator of its own.
  for target in package.targets where target.name == "CCost" {
    target.cSettings = (target.cSettings ?? []) + [.define("FCCOST_UNCOUNTED")]
  }
  package.targets += [
    .target(
      name: "FuzzTargets",
      dependencies: [
        "CCost", "FaceCrop", "FaceCropCLI", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Fuzz",
      exclude: [
        "CostTests.swift", "Fuzzer", "README.md", "ReplayTests.swift", "corpus", "dictionaries",
        "index_differential.c", "oss-fuzz", "run", "scans_differential.c",
      ],
      swiftSettings: strict + [.define("FACECROP_FUZZ")]),
    // In C, so that libFuzzer's main is the program's.
    .executableTarget(
      name: "fuzz",
      dependencies: ["FuzzTargets"],
      path: "Tests/Fuzz/Fuzzer",
      linkerSettings: [.unsafeFlags(["-sanitize=address,fuzzer"])]),
  ]
}

// The C library's functions that check sizes, where the compiler optimizes.
let fortified = ("_FORTIFY_SOURCE", "2", BuildSettingCondition.when(configuration: .release))
for target in package.targets where target.name.hasPrefix("C") && target.type == .regular {
  target.cSettings = (target.cSettings ?? []) + [.define(fortified.0, to: fortified.1, fortified.2)]
  target.cxxSettings = (target.cxxSettings ?? []) + [.define(fortified.0, to: fortified.1, fortified.2)]
}
