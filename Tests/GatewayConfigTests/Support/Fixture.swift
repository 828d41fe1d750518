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

    /// The files that the examples name: another file of the format, keys and secrets.
    static let namedFiles = [
        "more.yaml": "schemas: {More: string}\n", "/run/secrets/key": "secret\n",
        "programs.keys": "shop \(String(repeating: "ab", count: 32)) plan=pro\n", "page.jwks": keySet,
    ]

    /// RFC 7517 A.1.
    static let keySet = """
        {"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","kid":"1"}]}
        """

    static func example(_ name: String) throws -> ConfigReading {
        let source = MemorySource(
            files: namedFiles.merging(["\(name).yaml": try text("Examples/\(name).yaml")]) { $1 })
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
