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

let package = Package(
  name: "facecrop",
  products: [
    .library(name: "FaceCrop", targets: ["FaceCrop"]),
    .executable(name: "facecrop", targets: ["FaceCropCLI"]),
  ],
  traits: [
    .default(enabledTraits: ["HEIF"]),
    .trait(name: "HEIF", description: "Reads HEIC and AVIF by libde265 and dav1d, and writes AVIF by libaom."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    .target(
      name: "CCancellation",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]),
    .target(
      name: "CMallocShim",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]),
    .target(
      name: "CJPEGShim",
      dependencies: ["CCancellation"],
      cSettings: [
        .headerSearchPath("."), .treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra"),
      ],
      linkerSettings: [.linkedLibrary("jpeg")]),
    .target(
      name: "CPNGShim",
      dependencies: ["CCancellation"],
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("png"), .linkedLibrary("z")]),
    .target(
      name: "CTIFFShim",
      dependencies: ["CCancellation"],
      // No libtiff to link: library.c loads it when it is called.
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "CWebPShim",
      dependencies: ["CCancellation"],
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("webp"), .linkedLibrary("webpdemux"), .linkedLibrary("webpmux")]),
    .target(
      name: "CGIFShim",
      dependencies: ["CCancellation"],
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]),
    .target(
      name: "CHEIFShim",
      dependencies: ["CCancellation"],
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      cxxSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("dav1d"), .linkedLibrary("de265")]),
    .target(
      name: "CJXLShim",
      // Nothing to link: library.c loads libjxl when it is called.
      dependencies: ["CCancellation"],
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]),
    .target(
      name: "CXMLShim",
      dependencies: ["CCancellation"],
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("expat")]),
    .target(
      name: "CNetworks",
      // Without optimization the kernels take fifty times as long, which tests would wait for.
      cSettings: [
        .unsafeFlags(["-O2"], .when(configuration: .debug)), .treatAllWarnings(as: .error), .enableWarning("all"),
        .enableWarning("extra"),
      ]),
    .target(
      name: "CMatting",
      cSettings: [
        .unsafeFlags(["-O2"], .when(configuration: .debug)), .treatAllWarnings(as: .error), .enableWarning("all"),
        .enableWarning("extra"),
      ]),
    .target(
      name: "CResampling",
      cSettings: [
        .unsafeFlags(["-O2"], .when(configuration: .debug)), .treatAllWarnings(as: .error), .enableWarning("all"),
        .enableWarning("extra"),
      ]),
    .target(
      name: "CColorShim",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("lcms2")]),
    .target(
      name: "COpenCVShim",
      // On a C++ target SwiftPM makes the resource bundle without generating an accessor, which would need Foundation.
      resources: [.copy("../../models")],
      // Nothing to link: library.cpp loads OpenCV when it is called.
      cxxSettings: [.unsafeFlags(["-isystem", openCVHeaders]), .treatAllWarnings(as: .error)]),
    .target(
      name: "FaceCrop",
      dependencies: [
        "CCancellation", "CColorShim", "CGIFShim", "CJPEGShim", "CJXLShim", "CMatting", "CNetworks", "COpenCVShim",
        "CPNGShim",
        "CResampling",
        "CTIFFShim", "CWebPShim", "CXMLShim", .target(name: "CHEIFShim", condition: .when(traits: ["HEIF"])),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "FaceCropCLI",
      dependencies: [
        "CMallocShim", "FaceCrop",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/facecrop",
      // The page of facecrop-server has `server-store.js` in place of `file-store.js`.
      exclude: ["Batch/Report/Page/server-store.js"],
      resources: [
        "report.html", "report.css", "page.js", "frames.js", "changes.js", "file-store.js", "list.js", "editor.js",
      ].map { .embedInCode("Batch/Report/Page/\($0)") },
      swiftSettings: strict),
    .target(
      name: "CJPEGFixtures",
      path: "Tests/Support/CJPEGFixtures",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("jpeg")]),
    .target(
      name: "CRasterFixtures",
      path: "Tests/Support/CRasterFixtures",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [
        .linkedLibrary("gif"), .linkedLibrary("png"), .linkedLibrary("tiff"), .linkedLibrary("webp"),
        .linkedLibrary("webpdemux"), .linkedLibrary("z"),
      ]),
    .target(
      name: "CColorFixtures",
      path: "Tests/Support/CColorFixtures",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("lcms2")]),
    .target(
      name: "CHEIFFixtures",
      path: "Tests/Support/CHEIFFixtures",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("heif")]),
    .target(
      name: "CJXLFixtures",
      path: "Tests/Support/CJXLFixtures",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: [.linkedLibrary("jxl")]),
    .target(
      name: "COpenCVReference",
      dependencies: ["COpenCVShim"],
      path: "Tests/Support/COpenCVReference",
      cxxSettings: [.unsafeFlags(["-isystem", openCVHeaders]), .treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("opencv_dnn"), .linkedLibrary("opencv_core")]),
    .target(
      name: "CCost",
      path: "Tests/Support/CCost",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]),
    .target(
      name: "TestSupport",
      dependencies: [
        "CColorFixtures", "CJPEGFixtures", "CJXLFixtures", "CRasterFixtures",
        .target(name: "CHEIFFixtures", condition: .when(traits: ["HEIF"])),
      ],
      path: "Tests/Support/TestSupport",
      swiftSettings: strict),
    .target(
      name: "CFullDecode",
      path: "Benchmarks/Sources/CFullDecode",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")],
      linkerSettings: ["heif", "jpeg", "png", "webp"].map { .linkedLibrary($0) }),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CCancellation", "CFullDecode", "CJPEGShim", "CNetworks", "COpenCVReference", "FaceCrop", "TestSupport",
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
        "CCancellation", "CJPEGShim", "CNetworks", "COpenCVReference", "COpenCVShim", "CResampling", "FaceCrop",
        "TestSupport",
        .product(name: "Crypto", package: "swift-crypto"),
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
  for target in package.targets where target.name == "CCancellation" || target.name.hasSuffix("Shim") {
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
