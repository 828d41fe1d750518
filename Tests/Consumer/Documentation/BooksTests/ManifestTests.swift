import Foundation
import Testing

/// The manifest of the tutorial's package. It stands here because a package cannot contain another one.
@Suite("The manifest of the tutorial", .timeLimit(.minutes(2)))
struct ManifestTests {
    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let sluice = Target.Dependency.product(name: "Sluice", package: "sluice")

        let package = Package(
            name: "books",
            dependencies: [.package(path: "../sluice")],
            targets: [
                .executableTarget(name: "Books", dependencies: [sluice]),
                .testTarget(
                    name: "BooksTests",
                    dependencies: ["Books", sluice, .product(name: "GatewayTesting", package: "sluice")]),
            ]
        )
        """

    @Test("It is valid, and describes the program and its tests")
    func isValid() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Self.manifest.write(
            to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "package", "--package-path", folder.path, "dump-package"]
        process.standardOutput = output
        try process.run()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let package = try JSONDecoder().decode(Package.self, from: json)
        #expect(package.targets.map(\.name) == ["Books", "BooksTests"])
    }

    private struct Package: Decodable {
        struct Target: Decodable {
            var name: String
        }

        var targets: [Target]
    }
}
