import Foundation
import Testing

/// Compares the tutorial with the package that it builds.
@Suite("The tutorial", .timeLimit(.minutes(2)))
struct TutorialTests {
    /// It stands here because a package cannot contain another one.
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

    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func source(_ path: String) throws -> String {
        try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
    }

    /// The files that the article shows, in order: each has its path on a line before its block.
    private static func shownFiles() throws -> [(path: String, text: String)] {
        let article = try source("../../../Sources/GatewayCore/GatewayCore.docc/Tutorial.md")
        return article.matches(of: /`([A-Za-z\/]+\.swift)`:\n\n```swift\n((?s:.*?))```/)
            .map { (String($0.output.1), String($0.output.2)) }
    }

    @Test("Shows each file whole, as the tests build it")
    func files() throws {
        let shown = try Self.shownFiles()
        let expected = try [
            ("Package.swift", Self.manifest + "\n"),
            ("Sources/Books/Program.swift", Self.source("Hello/Program.swift")),
            ("Sources/Books/LibraryAPI.swift", Self.source("Books/LibraryAPI.swift")),
            ("Sources/Books/BookScreen.swift", Self.source("Books/BookScreen.swift")),
            ("Sources/Books/Endpoints.swift", Self.source("Books/Endpoints.swift")),
            ("Sources/Books/Program.swift", Self.source("Books/Program.swift")),
            ("Tests/BooksTests/BookScreenTests.swift", Self.source("BooksTests/BookScreenTests.swift")),
        ]
        #expect(shown.map(\.path) == expected.map(\.0))
        for (one, other) in zip(shown, expected) { #expect(one.text == other.1, "\(one.path)") }
    }

    @Test("Has a valid manifest, which describes the program and its tests")
    func manifest() throws {
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
