import Foundation
import TestSupport
import Testing

@Suite("Commands in the documentation", .timeLimit(.minutes(3)))
struct DocumentedCommandsTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    private static let articles = "Sources/GatewayCore/GatewayCore.docc/"

    private let folder = ScratchFolder()

    @Test(
        "Every command prints what the article shows",
        arguments: [
            ("README.md", 3), (articles + "Answers.md", 2), (articles + "Demo.md", 5),
            (articles + "Operating.md", 2), (articles + "OperatingReference.md", 1),
            (articles + "ServingFiles.md", 2),
            (articles + "GatewayFromAFile.md", 25), (articles + "FileRecipes.md", 22),
        ])
    func commands(path: String, count: Int) throws {
        let steps = DocumentedCommands(markdown: try Self.text(path)).steps
        #expect(steps.count == count)
        let session = DocumentedSession(folder: folder.path, root: Self.root)
        for step in steps {
            let printed = try session.run(step.command)
            #expect(
                DocumentedCommands.matches(shown: step.output, printed: printed),
                "\(path): \(step.command) printed:\n\(printed)")
        }
        session.end()
    }

    @Test("An output that differs from the shown one is found; varying values are not compared")
    func differences() {
        let shown = [#"{"a":1,"b":[...],"#, #" "meta":{"requestId":"x1","elapsedMs":4.5}}"#]
        func matches(_ printed: String) -> Bool {
            DocumentedCommands.matches(shown: shown, printed: printed)
        }
        #expect(!matches(#"{"a":2,"b":[1],"meta":{"requestId":"y2","elapsedMs":12}}"#))
        #expect(!matches(#"{"a":1,"b":[1],"meta":{"requestId":"y2","elapsedMs":null}}"#))
        #expect(!matches(#"{"a":1,"b":[1],"meta":{"requestId":"y2","elapsedMs":12}} more"#))
        #expect(!matches(""))
        #expect(matches(#"{"a":1,"b":[1,2],"meta":{"requestId":"y2","elapsedMs":12}}"#))
        #expect(!DocumentedCommands.matches(shown: ["all of it"], printed: "all of it and more"))
    }

    @Test("A command that fails is found")
    func failingCommand() throws {
        let session = DocumentedSession(folder: folder.path, root: Self.root)
        #expect(throws: DocumentedSession.Failure.self) {
            try session.run("curl --fail http://127.0.0.1:8080/none")
        }
        session.end()
    }

    @Test("Only commands in console blocks are run")
    func blocks() {
        let markdown =
            "$ no\n```\n$ no\n```\n```console\n$ sluice --help\nusage\n\nmore\n$ curl a\n```\n$ no\n"
        #expect(
            DocumentedCommands(markdown: markdown).steps == [
                .init(command: "sluice --help", output: ["usage", "", "more"]), .init(command: "curl a"),
            ])
    }

    /// The trimmed lines of the only nginx block in the README.
    private static func nginxLines() throws -> [String] {
        let text = try Self.text("README.md")
        let block = try #require(text.components(separatedBy: "```nginx\n").dropFirst().first)
        let end = try #require(block.firstRange(of: "```"))
        return block[..<end.lowerBound].split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test(
        "The README's nginx configuration puts TLS and HTTP/2 before the gateway",
        .enabled(if: Nginx.isInstalled, "nginx is not installed: make setup"))
    func behindNginx() throws {
        let gateway = try SluiceProcess([
            "demo", "--port", "0", "--drain-delay", "0", "--hosts", "app.example.com",
            "--data", folder.file("diary.sqlite3"),
        ])
        let port = try gateway.readPort()
        let identity = TestAuthority.shared.issue("DNS:app.example.com")
        for (name, text) in [
            ("key.pem", identity.key), ("crt.pem", identity.certificate),
            ("ca.pem", TestAuthority.shared.pem),
        ] {
            try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        let lines = try Self.nginxLines()
        let upstream = try #require(lines.first { $0.hasPrefix("upstream ") })
            .replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:\(port)")
        let listen = try #require(lines.first { $0.hasPrefix("listen 443 ") })
        let location = try #require(lines.firstIndex { $0.hasPrefix("location ") })
        let nginx = try Nginx(
            (["ssl_certificate \(folder.file("crt.pem"));", "ssl_certificate_key \(folder.file("key.pem"));"]
                + lines[location..<lines.count - 1]).joined(separator: "\n"),
            listen: listen.dropFirst("listen 443 ".count).replacingOccurrences(of: ";", with: ""),
            http: upstream)
        let answer = try curl(
            "--http2", "--cacert", folder.file("ca.pem"), "--write-out", "%{http_version}\n%{http_code}",
            "--resolve", "app.example.com:\(nginx.port):127.0.0.1",
            "https://app.example.com:\(nginx.port)/api/users/GREEN")
        #expect(answer.status == 200)
        #expect(answer.body.hasSuffix("}2"), "\(answer.body)")
        nginx.stop()
        gateway.signal(SIGTERM)
        #expect(gateway.finish().exitCode == 0)
    }
}
