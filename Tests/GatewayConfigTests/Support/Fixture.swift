import Foundation

@testable import GatewayConfig

/// Files beside the tests.
enum Fixture {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    /// The names of a folder's files with this ending, without it.
    static func names(in path: String, ending: String) -> [String] {
        let all =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)) ?? []
        return all.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
    }

    static func example(_ name: String) throws -> ConfigReading {
        let source = MemorySource(
            files: ["\(name).yaml": try text("Examples/\(name).yaml"), "/run/secrets/key": "secret\n"])
        return ConfigReading.read("\(name).yaml", from: source)
    }
}

extension ConfigReading {
    /// Reads a file from text.
    ///
    /// - Parameters:
    ///   - text: the root file, `f`, without its first line `version: 1`.
    ///   - files: further files.
    static func read(
        text: String, files: [String: String] = [:], variables: [String: String] = [:], mode: Mode = .serving
    ) -> ConfigReading {
        let files = files.merging(["f": "version: 1\n" + text]) { $1 }
        return read("f", from: MemorySource(files: files, variables: variables), mode: mode)
    }

    /// As the command prints them.
    var lines: [String] { problems.map(\.description) }
}
