// swift-tools-version: 6.2
import PackageDescription

let rx = Target.Dependency.product(name: "Rx", package: "sluice")
let sluice = Target.Dependency.product(name: "Sluice", package: "sluice")
let rxBlocking = Target.Dependency.product(name: "RxBlocking", package: "sluice")
let rxVirtualTime = Target.Dependency.product(name: "RxVirtualTime", package: "sluice")
let rxCompatibility = Target.Dependency.product(name: "RxCompatibility", package: "sluice")
let withoutWarnings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// A user's package, which sees only the products of Sluice.
let package = Package(
    name: "shop-gateway",
    dependencies: [.package(name: "sluice", path: "../..")],
    targets: [
        // The example: see README.md.
        .target(name: "Shop", dependencies: [sluice]),
        .executableTarget(name: "ShopGateway", dependencies: ["Shop", sluice]),
        .executableTarget(name: "ShopUpstream", dependencies: [sluice]),
        // The programs of the tutorial: its first step, and its last one with the tests.
        .executableTarget(name: "Hello", dependencies: [sluice], path: "Documentation/Hello"),
        .executableTarget(name: "Books", dependencies: [sluice], path: "Documentation/Books"),
        // The recipes for files and metrics.
        .executableTarget(name: "Metered", dependencies: [sluice], path: "Documentation/Metered"),
        // The recipe for code of the main thread.
        .executableTarget(name: "Tickets", dependencies: [sluice], path: "Documentation/Tickets"),
        .testTarget(
            name: "BooksTests",
            dependencies: [
                "Books", "Metered", "Tickets", sluice, .product(name: "GatewayTesting", package: "sluice"),
            ],
            path: "Documentation/BooksTests"),
        // Targets that use Rx alone: programs that the tests run, every public name in mode 6 without a
        // warning, and mode 5 source as written for RxSwift.
        .executableTarget(name: "Isolated", dependencies: [rx], swiftSettings: withoutWarnings),
        .executableTarget(
            name: "MainThread", dependencies: [rx, rxBlocking], swiftSettings: withoutWarnings),
        .target(
            name: "Names", dependencies: [rx, rxBlocking, rxCompatibility, rxVirtualTime],
            swiftSettings: withoutWarnings),
        .target(
            name: "FromRxSwift", dependencies: [rx, rxBlocking, rxCompatibility, rxVirtualTime],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // The same source is compiled twice: without warnings in mode 5, with warnings in mode 6.
        .target(
            name: "Extensions", dependencies: [rx], swiftSettings: [.swiftLanguageMode(.v5)] + withoutWarnings
        ),
        .target(name: "ExtensionsInMode6", dependencies: [rx]),
        .testTarget(
            name: "RxProductTests",
            dependencies: [
                "Isolated", "MainThread", "Names", "FromRxSwift", "Extensions", "ExtensionsInMode6",
            ]),
        .testTarget(
            name: "MigratedTests", dependencies: [rx, .product(name: "RxTesting", package: "sluice")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "FromMoyaTests",
            dependencies: [.product(name: "NetworkingCompatibility", package: "sluice"), rxBlocking],
            swiftSettings: withoutWarnings),
        .testTarget(
            name: "ShopTests",
            dependencies: [
                "Shop", "ShopGateway", "ShopUpstream", .product(name: "GatewayTesting", package: "sluice"),
                sluice,
            ]),
    ],
    swiftLanguageModes: [.v6]
)
