import Foundation

struct SourceFile {
    var path: String
    var text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    /// The module of the file: `Rx` for `Sources/Rx/Core/Join.swift`.
    var module: String { String(path.split(separator: "/").dropFirst().first ?? "") }
}

enum SourceTree {
    /// Every Swift file under `Sources`.
    static var sources: [SourceFile] {
        get throws { try files(in: "Sources", ending: ".swift") }
    }

    /// The Swift files under `Tests`, without the waiting helpers, the rules and the programs that measure or
    /// fuzz.
    static var tests: [SourceFile] {
        get throws {
            let others = ["Support", "Tools", "Waiting", "RulesTests", "Benchmarks", "Soak", "Fuzz"].map {
                "Tests/\($0)/"
            }
            return try files(in: "Tests", ending: ".swift").filter { file in
                !others.contains { file.path.hasPrefix($0) }
            }
        }
    }

    private static func url(of folder: String) -> URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(folder).resolvingSymlinksInPath()
    }

    /// The package's root. `Sources` may be a link into another checkout, whose root it is then.
    static var root: URL { url(of: "Sources").deletingLastPathComponent() }

    static var readme: SourceFile { get throws { try file("README.md") } }

    /// The documents of the project: of Sources, Tests and `.github`, of the image, and the README.
    static var documents: [SourceFile] {
        get throws {
            // A build of the consumer's package has checkouts of other packages.
            let folders = try ["Sources", "Tests", ".github"].flatMap { try files(in: $0, ending: ".md") }
                .filter { !$0.path.contains("/.build/") }
            return try folders + [readme, file("docker/README.md")]
        }
    }

    static var manifest: Manifest { get throws { Manifest(try file("Package.swift").text) } }

    /// The folders of `Sources`.
    static var modules: Set<String> {
        get throws {
            Set(
                try FileManager.default.contentsOfDirectory(
                    at: url(of: "Sources"), includingPropertiesForKeys: [.isDirectoryKey]
                ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
                    .map(\.lastPathComponent))
        }
    }

    /// Returns a file, given its path from the package's root.
    static func file(_ path: String) throws -> SourceFile {
        SourceFile(
            path: path, text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
    }

    /// Returns every file in a folder of the package whose name has this ending, with its path from the
    /// package's root.
    static func files(in folder: String, ending: String) throws -> [SourceFile] {
        let folderURL = url(of: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folderURL.path)
        return try names.filter { $0.hasSuffix(ending) }.sorted().map {
            let text = try String(contentsOf: folderURL.appendingPathComponent($0), encoding: .utf8)
            return SourceFile(path: "\(folder)/\($0)", text: text)
        }
    }
}
