// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "avatar-service",
  dependencies: [
    .package(name: "facecrop", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "AvatarService",
      dependencies: [
        .product(name: "FaceCrop", package: "facecrop"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error)])
  ]
)
