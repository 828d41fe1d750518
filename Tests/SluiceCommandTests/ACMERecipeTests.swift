import Foundation
import Locking
import TestSupport
import Testing

/// The recipe for Let's Encrypt, with Pebble in its place.
@Suite("The recipe for certificates of Let's Encrypt", .timeLimit(.minutes(3)))
struct ACMERecipeTests {
    static let heading = "A certificate from Let's Encrypt"

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    private static let lego = PeerProcess.find("lego")
    private static let hasAll = lego != nil && ACMEServer.isInstalled && PeerProcess.find("openssl") != nil

    private let server: ACMEServer
    private let shell: DocumentedShell
    private let recipe: String

    init() throws {
        server = try ACMEServer()
        shell = try DocumentedShell(
            examples: "\(Self.root)/docker/examples", ["LEGO_CA_CERTIFICATES": server.certificate])
        let path = "\(Self.root)/Sources/GatewayCore/GatewayCore.docc/ServingHTTPS.md"
        let article = try String(contentsOfFile: path, encoding: .utf8)
        recipe = try DocumentedCommands.split(article, section: Self.heading).section
            .replacingOccurrences(of: "/var/lib/acme", with: shell.file("acme"))
        // The authority's certificates are valid for years, and its commands run from a terminal.
        try shell.install(
            "lego",
            """
            case $* in *" renew") set -- "$@" --days 9999 --no-random-sleep ;; esac
            exec \(Self.lego ?? "lego") --server \(server.directory) "$@"
            """)
    }

    /// Writes the recipe's file with ports of this machine.
    private func writeFile() throws {
        let block = try #require(recipe.firstMatch(of: /```yaml\n([\s\S]*?)```/)?.1)
        var file = String(block)
        for (documented, ours) in [
            ("host: 0.0.0.0", "host: 127.0.0.1"), ("port: 443", "port: 0"),
            ("{port: 80,", "{port: \(server.challengePort),"),
        ] {
            try #require(file.contains(documented), "\(documented)")
            file = file.replacingOccurrences(of: documented, with: ours)
        }
        try file.write(toFile: shell.file("sluice.yaml"), atomically: true, encoding: .utf8)
    }

    /// How many challenges the gateway has answered by its log.
    private func challenges() throws -> Int {
        let log = try String(contentsOfFile: shell.file("server0.log"), encoding: .utf8)
        return log.split(separator: "\n").count {
            $0.contains(#""path":"/.well-known/acme-challenge/"#) && $0.contains(#""status":200,"#)
        }
    }

    private func run(_ step: DocumentedCommands.Step, isPatient: Bool = false) throws {
        let printed = try shell.run(step.command, isPatient: isPatient)
        #expect(
            DocumentedCommands.matches(shown: step.output, printed: printed),
            "\(step.command) printed:\n\(printed)")
    }

    @Test(
        "Its commands order a certificate, and renew it within two seconds and without a lost request",
        .enabled(if: hasAll, "pebble, lego or openssl is not installed: make setup"))
    func commands() throws {
        defer { shell.end() }
        let steps = DocumentedCommands(markdown: recipe).steps
        try #require(
            steps.map { $0.command.prefix { $0 != " " } } == [
                "mkdir", "openssl", "sluice", "lego", "curl", "lego",
            ])
        try writeFile()
        for step in steps[...2] { try run(step) }

        let port = try shell.port(of: "8080")
        try server.root().write(toFile: shell.file("root.pem"), atomically: true, encoding: .utf8)
        try shell.install(
            "curl",
            "exec /usr/bin/curl --cacert root.pem --connect-to app.example.com:443:127.0.0.1:\(port) \"$@\"")
        // The certificate of the second step is nobody's.
        #expect(throws: DocumentedSession.Failure.self) { try shell.run(steps[4].command) }
        #expect(try challenges() == 0)
        try run(steps[3])
        try run(steps[4], isPatient: true)
        try spin(while: try challenges() == 0) { "no challenge was answered" }
        let answered = try challenges()

        let visitor = try Visitor(port)
        try run(steps[5])
        let file = shell.file("acme/certificates/app.example.com.crt")
        let renewed = try #require(
            FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date)
        try spin(while: visitor.seen.changed == nil && visitor.seen.failure == nil) {
            "the certificate has not changed: \(visitor.seen)"
        }
        visitor.stop()
        let seen = visitor.seen
        #expect(seen.failure == nil)
        #expect(seen.answers > 10)
        let changed = try #require(seen.changed)
        #expect(changed.timeIntervalSince(renewed) <= 2 * Double(Sanitizer.slowdown))
        try run(steps[4])
        try spin(while: try challenges() <= answered) { "no challenge of the renewal was answered" }
    }
}

/// A thread that asks for `/hello`, again and again: on a connection that stays open, and on a new one.
private final class Visitor: Sendable {
    struct Seen {
        var answers = 0
        /// When the first request with another certificate began.
        var changed: Date?
        /// Why a request was lost.
        var failure: String?
        fileprivate var isStopped = false
    }

    private static let options = {
        var options = TLSClient.Options()
        options.serverName = "app.example.com"
        return options
    }()

    private let state = Lock(Seen())
    private let ended = DispatchSemaphore(value: 0)

    var seen: Seen { state.withLock { $0 } }

    init(_ port: Int) throws {
        let first = try Self.certificate(try Self.open(port))
        Thread { [self] in
            do { try visit(port, first) } catch { state.withLock { $0.failure = "\(error)" } }
            ended.signal()
        }.start()
    }

    private func visit(_ port: Int, _ first: [UInt8]) throws {
        var kept = try Self.open(port)
        while !state.withLock({ $0.isStopped }) {
            // The gateway says when it closes a connection that had its share of requests.
            if try Self.ask(kept).value("Connection") == "close" { kept = try Self.open(port) }
            let began = Date()
            let new = try Self.open(port)
            _ = try Self.ask(new)
            let isOther = try Self.certificate(new) != first
            state.withLock { seen in
                seen.answers += 2
                if isOther, seen.changed == nil { seen.changed = began }
            }
        }
    }

    /// Waits for the last answer.
    func stop() {
        state.withLock { $0.isStopped = true }
        _ = ended.wait(timeout: .now() + 30)
    }

    private static func open(_ port: Int) throws -> RawClient {
        let client = try RawClient(port: port)
        try client.startTLS(TLSClient(options))
        return client
    }

    private static func certificate(_ client: RawClient) throws -> [UInt8] {
        try #require(client.tls).certificate
    }

    private static func ask(_ client: RawClient) throws -> RawClient.Reply {
        client.send("GET /hello HTTP/1.1\r\nHost: app.example.com\r\n\r\n")
        let reply = try client.reply()
        guard reply.status == 200, reply.text.contains("Hello") else {
            throw PeerFailure(description: "\(reply)")
        }
        return reply
    }
}
