// swift-tools-version: 6.2
import PackageDescription

// A package as a user writes one: it sees nothing of Sluice but its products.
let package = Package(
    name: "profile-gateway",
    dependencies: [.package(name: "sluice", path: "../..")],
    targets: [
        .target(name: "Profile", dependencies: [.product(name: "Sluice", package: "sluice")]),
        .executableTarget(
            name: "ProfileGateway", dependencies: ["Profile", .product(name: "Sluice", package: "sluice")]),
        .testTarget(
            name: "ProfileTests",
            dependencies: [
                "Profile", .product(name: "GatewayTesting", package: "sluice"),
                .product(name: "Sluice", package: "sluice"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
