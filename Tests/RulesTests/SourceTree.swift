import Foundation

struct SourceFile {
    var path: String
    var text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    /// `Rx` for `Sources/Rx/Core/Gate.swift`.
    var module: String { String(path.split(separator: "/").dropFirst().first ?? "") }
}

enum SourceTree {
    /// Every Swift file under `Sources`.
    static var sources: [SourceFile] {
        get throws { try files(in: "Sources", ending: ".swift") }
    }

    private static func url(of folder: String) -> URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(folder).resolvingSymlinksInPath()
    }

    /// The README, which lies beside `Sources`.
    static var readme: SourceFile {
        get throws {
            let file = url(of: "Sources").deletingLastPathComponent().appendingPathComponent("README.md")
            return SourceFile(path: "README.md", text: try String(contentsOf: file, encoding: .utf8))
        }
    }

    /// Every file in a folder of the package whose name ends so, with its path from the package's root.
    static func files(in folder: String, ending: String) throws -> [SourceFile] {
        let folderURL = url(of: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folderURL.path)
        return try names.filter { $0.hasSuffix(ending) }.sorted().map {
            let text = try String(contentsOf: folderURL.appendingPathComponent($0), encoding: .utf8)
            return SourceFile(path: "\(folder)/\($0)", text: text)
        }
    }
}
