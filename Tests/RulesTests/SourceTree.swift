import Foundation

struct SourceFile {
    var path: String
    var text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    /// `Rx` for `Sources/Rx/Core/Gate.swift`.
    var module: String { String(path.split(separator: "/").dropFirst().first ?? "") }
}

enum SourceTree {
    /// Every Swift file under `Sources`, with its path from the package's root.
    static var sources: [SourceFile] {
        get throws {
            let root = URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            let folder = root.appendingPathComponent("Sources")
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            return try names.filter { $0.hasSuffix(".swift") }.sorted().map {
                let text = try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
                return SourceFile(path: "Sources/\($0)", text: text)
            }
        }
    }
}
