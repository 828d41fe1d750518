import Foundation
import JSONBytes
import Testing

@testable import GatewayConfig
@testable import GatewayHTTP

/// Checks the files in `docker/examples`, and those that the articles show.
@Suite("Example files of gateways")
struct ExampleFileTests {
    private static let root: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardized
    private static let folder: URL = root.appendingPathComponent("docker/examples")

    private static let names: [String] = files(in: folder, ending: ".yaml")
    /// The files that examples name.
    private static let neighbours: Set<String> = ["partners.keys", "keys.json"]
    private static let articles: [String] =
        ["README.md"]
        + files(in: root.appendingPathComponent("Sources/GatewayCore/GatewayCore.docc"), ending: ".md")
        .map { "Sources/GatewayCore/GatewayCore.docc/\($0)" }

    private static func files(in folder: URL, ending: String) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(ending) }.sorted()
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Warnings of examples that are meant.
    private static let warnings = [
        // The article adds the first key.
        "access.yaml": "auth.partners.apiKeys.file: the file has no keys, so every key is refused",
        // 50 friends, with retries.
        "profile.yaml": "one request makes up to 165 upstream calls, with retries",
    ]

    /// Has a secret and no variables.
    private struct Source: ConfigSource {
        var files = [
            "/run/secrets/key": "secret\n",
            "/etc/sluice/partners.keys": "phone \(String(repeating: "0", count: 64)) plan=pro\n",
            // RFC 7515 A.3.
            "/etc/sluice/keys.json": """
            {"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
            """,
        ]
        private let system = SystemConfigSource { _ in nil }

        func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
            if let text = files[path] { return Array(text.utf8) }
            // The examples are served in their folder.
            let isBeside = !path.hasPrefix("/") && ExampleFileTests.neighbours.contains(path)
            return try system.read(
                isBeside ? ExampleFileTests.folder.appendingPathComponent(path).path : path, limit: limit)
        }

        func paths(matching pattern: String) throws(ConfigSourceError) -> [String] {
            try system.paths(matching: pattern)
        }

        func variable(_ name: String) -> String? { nil }
    }

    @Test("Each example can be served", arguments: names)
    func examples(name: String) {
        // This one uses the certificates of the machine that it runs on.
        let problems = GatewayFile.problems(
            of: Self.folder.appendingPathComponent(name).path, from: Source(),
            isStatic: name == "secure.yaml")
        let expected = Self.warnings[name].map { ["warning: \($0)"] } ?? []
        #expect(problems.map { "\($0.severity): \($0.message)" } == expected)
    }

    @Test("The folder has the examples that the articles name")
    func everyExampleIsNamed() throws {
        #expect(Self.names.count >= 6)
        for name in Self.names {
            let isNamed = try Self.articles.contains { try Self.text($0).contains(name) }
            #expect(isNamed, "no article names \(name)")
        }
    }

    // MARK: Articles

    /// Complains about YAML that is neither part of an example nor a file that has the problems shown after
    /// it.
    private static func complaints(_ blocks: [ArticleBlock]) throws -> [String] {
        let examples = try names.map { try text("docker/examples/\($0)") }
        return blocks.indices.compactMap { index in
            let block = blocks[index]
            guard block.kind == "yaml", !examples.contains(where: block.isPart(of:)) else { return nil }
            var (name, shown) = ("example.yaml", ArraySlice<String>())
            if blocks.indices.contains(index + 1), let command = blocks[index + 1].lines.first,
                command.hasPrefix("$ sluice check ")
            {
                name = String(command.dropFirst("$ sluice check ".count))
                shown = blocks[index + 1].lines.dropFirst()
            }
            var source = Source()
            source.files[name] = block.text
            // No machine has the certificates of an article.
            let isStatic = block.text.contains("/etc/tls/") || block.text.contains("/var/lib/acme/")
            let printed = GatewayFile.problems(of: name, from: source, isStatic: isStatic).map(\.description)
            return printed == Array(shown) ? nil : printed.joined(separator: "\n")
        }
    }

    @Test("Each file in an article is part of an example, or has the problems that the article shows")
    func blocks() throws {
        var count = 0
        for article in Self.articles {
            let blocks = ArticleBlock.blocks(try Self.text(article))
            count += blocks.count { $0.kind == "yaml" }
            for complaint in try Self.complaints(blocks) {
                Issue.record("\(article): sluice check prints\n\(complaint)")
            }
        }
        #expect(count >= 9)
    }

    @Test("Each block of settings in Operating.md is part of a valid file")
    func settings() throws {
        let article = try Self.text("Sources/GatewayCore/GatewayCore.docc/Operating.md")
        let keys = Set(DocumentShape.shape.members.map(\.name))
        let blocks = ArticleBlock.blocks(article).filter { block in
            block.kind.isEmpty && keys.contains(String(block.lines.first?.prefix { $0 != ":" } ?? ""))
        }
        #expect(blocks.count >= 3)
        for block in blocks {
            var source = Source()
            source.files["example.yaml"] =
                "version: 1\n" + block.text + "endpoints: [{get: /a, data: {value: 1}}]\n"
            let problems = GatewayFile.problems(of: "example.yaml", from: source)
            #expect(problems.isEmpty, "\(block.text): \(problems)")
        }
    }

    @Test("The example behind nginx keeps idle connections longer than nginx does")
    func behindNginx() throws {
        let path = Self.folder.appendingPathComponent("proxied.yaml").path
        var configuration = GatewayServerConfiguration()
        try GatewayFile(path, from: Source()).apply(to: &configuration)
        #expect(configuration.inbound.keepAliveIdle == .seconds(75))
        #expect(configuration.clients.trusted.description.contains("127.0.0.0/8"))
        let article = try Self.text("Sources/GatewayCore/GatewayCore.docc/Operating.md")
        let shown = ArticleBlock.blocks(article).contains { block in
            block.lines.contains { $0.hasPrefix("upstream sluice ") }
        }
        #expect(shown)
    }

    @Test("Each configuration of another gateway that an article shows is JSON")
    func otherConfigurations() throws {
        for article in Self.articles {
            for block in ArticleBlock.blocks(try Self.text(article)) where block.kind == "json" {
                #expect(throws: Never.self, "\(article)") { try JSONFragment(parsing: block.text) }
            }
        }
    }

    @Test(
        "A file with a mistake that is not shown, and a shown mistake that the file does not have, are found")
    func wrongBlocks() throws {
        let file = "```yaml\nversion: 1\nlisten: {prot: 1}\n```\n"
        let message = "shop.yaml:2:10: error: listen has no member \"prot\"; did you mean \"port\"?"
        let shown = "text\n```console\n$ sluice check shop.yaml\n\(message)\n```\n"
        #expect(try Self.complaints(ArticleBlock.blocks(file)).count == 1)
        #expect(try Self.complaints(ArticleBlock.blocks(file + shown)).isEmpty)
        #expect(
            try Self.complaints(ArticleBlock.blocks(file.replacing("prot", with: "port") + shown)).count == 1)
        let part = "```yaml\nversion: 1\nupstreams:\n```\n"
        #expect(try Self.complaints(ArticleBlock.blocks(part)).isEmpty)
    }
}
