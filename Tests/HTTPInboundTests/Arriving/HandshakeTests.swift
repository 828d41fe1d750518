import EventIO
import HTTPModel
import Testing

@testable import HTTPInbound
@testable import TestSupport

@Suite("Handshakes of clients", .timeLimit(.minutes(1)))
struct HandshakeTests {
    private static func tls(
        hsts: String? = nil, change: (inout TLSServerConfiguration) -> Void = { _ in }
    ) throws -> InboundTLS {
        let identity = TestAuthority.shared.issue()
        var configuration = TLSServerConfiguration(certificates: [
            TLSConfiguration.Identity(
                certificateChain: .text(identity.certificate), privateKey: .text(identity.key))
        ])
        change(&configuration)
        return InboundTLS(try TLSServerContext(configuration), strictTransportSecurity: hsts)
    }

    private static func clients(_ authority: TestAuthority = .shared) -> TLSServerConfiguration.Clients {
        .init(authorities: .text(authority.pem))
    }

    private static let get = "GET /security HTTP/1.1\r\nHost: x\r\n\r\n"

    /// The counts, once this many handshakes are over.
    private func counts(_ server: TestServer, total: Int) async throws -> HandshakeCounts {
        func read() async throws -> HandshakeCounts { try await server.on { server, _ in server.handshakes } }
        func sum(_ counts: HandshakeCounts) -> Int {
            counts.full + counts.resumed + counts.failed + counts.timeout + counts.shed
        }
        try await poll(while: sum(try await read()) < total) { "handshakes: \(try await read())" }
        return try await read()
    }

    private func count(_ change: (inout HandshakeCounts) -> Void) -> HandshakeCounts {
        var counts = HandshakeCounts()
        change(&counts)
        return counts
    }

    // MARK: Failures

    @Test("A plain request gets a plain 400, is reported, and counts as a failed handshake")
    func plain() async throws {
        try await TestServer.run(tls: Self.tls(hsts: "max-age=60")) { server in
            let client = try RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 400)
            #expect(reply.text == "plain_request: This port speaks HTTPS")
            #expect(reply.value("Connection") == "close")
            #expect(reply.value("Strict-Transport-Security") == nil)
            #expect(client.readToEnd() == ([], .fin))
            #expect(try await counts(server, total: 1) == count { $0.failed = 1 })
            #expect(
                server.log.events == [
                    "no handshake: a plain HTTP request", "refused 400 plain_request",
                    "direct - 400 completed",
                ])
            try await server.connectionsLeft()
        }
    }

    @Test(
        "What is neither TLS nor a request is closed without an answer",
        arguments: [
            ("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "neither TLS nor HTTP"), ("\0\0", "neither TLS nor HTTP"),
            ("EHLO mail.example.com\r\n", "neither TLS nor HTTP"),
            (
                "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n",
                "a PROXY header, which clients.header does not expect"
            ),
        ])
    func foreign(bytes: String, reason: String) async throws {
        try await TestServer.run(tls: Self.tls()) { server in
            let client = try RawClient(port: server.port)
            client.send(bytes)
            #expect(client.readToEnd().bytes == [])
            #expect(try await counts(server, total: 1) == count { $0.failed = 1 })
            #expect(server.log.events == ["no handshake: \(reason)"])
            try await server.connectionsLeft()
        }
    }

    @Test("A broken record is refused with an alert")
    func garbage() async throws {
        try await TestServer.run(tls: Self.tls()) { server in
            let client = try RawClient(port: server.port)
            client.send([22, 3, 1, 0, 4, 4, 0, 0, 0])
            #expect(client.readToEnd().bytes.first == 21)
            #expect(try await counts(server, total: 1) == count { $0.failed = 1 })
            try await server.connectionsLeft()
        }
    }

    @Test("A client that leaves in its handshake is counted, and one that sends nothing is not")
    func leaves() async throws {
        try await TestServer.run(tls: Self.tls()) { server in
            try RawClient(port: server.port).close()
            let client = try RawClient(port: server.port)
            client.send([22, 3, 1])
            try await poll(while: try await server.connectionCount == 0) { "no connection" }
            client.close()
            #expect(try await counts(server, total: 1) == count { $0.failed = 1 })
            try await server.connectionsLeft()
            #expect(try await server.on { server, _ in server.unfinishedHandshakes } == 0)
        }
    }

    @Test("A handshake that takes too long is closed", arguments: [[], [22, 3, 1]] as [[UInt8]])
    func timeout(sent: [UInt8]) async throws {
        try await TestServer.run({ $0.handshakeDeadline = .milliseconds(40) }, tls: Self.tls()) { server in
            let client = try RawClient(port: server.port)
            client.send(sent)
            #expect(client.readToEnd() == ([], .fin))
            #expect(try await counts(server, total: 1) == count { $0.timeout = 1 })
            #expect(server.log.events == ["no handshake: the handshake took too long"])
        }
    }

    @Test("Beyond the limit the oldest connection without a ClientHello makes room at once")
    func limit() async throws {
        try await TestServer.run({ $0.handshakes = 2 }, tls: Self.tls()) { server in
            let first = try RawClient(port: server.port)
            let second = try RawClient(port: server.port)
            let third = try RawClient(port: server.port)
            #expect(first.readToEnd() == ([], .fin))
            let newcomer = try server.client()
            newcomer.send(Self.get)
            #expect(try newcomer.reply().text == "TLS 1.3 -")
            #expect(second.readToEnd() == ([], .fin))
            #expect(try await counts(server, total: 3) == count { ($0.shed, $0.full) = (2, 1) })
            third.close()
        }
    }

    /// A client whose ClientHello is sent, and which goes on with its handshake when it sends or reads.
    private func halfway(_ server: TestServer, host: UInt8 = 1) throws -> RawClient {
        let client = try RawClient(port: server.port, host: host, tls: .usual, patience: 0)
        _ = client.tls?.handshake()
        client.sendHeld()
        return client
    }

    private func answered(_ server: TestServer, reach count: Int) async throws {
        func read() async throws -> Int {
            try await server.on { server, _ in
                server.connections.compactMap { $0 as? ArrivingConnection }.count { $0.stream.hasSent }
            }
        }
        try await poll(while: try await read() < count) { "\(try await read()) are answered" }
    }

    private func unfinished(_ server: TestServer, reach count: Int) async throws {
        try await poll(while: try await server.on { server, _ in server.unfinishedHandshakes } < count) {
            "\(try await server.on { server, _ in server.unfinishedHandshakes }) handshakes"
        }
    }

    @Test("If every handshake was answered, a newcomer waits until the oldest has had a second")
    func answeredLimit() async throws {
        try await TestServer.run({ $0.handshakes = 1 }, tls: Self.tls()) { server in
            let slow = try halfway(server)
            try await answered(server, reach: 1)
            let newcomer = try server.client()
            newcomer.send(Self.get)
            #expect(try newcomer.reply().text == "TLS 1.3 -", "it got the place of the first")
            #expect(slow.readToEnd().end != .silence)
            #expect(try await counts(server, total: 2) == count { ($0.shed, $0.full) = (1, 1) })
        }
    }

    @Test("A thousand clients that come at once are all served")
    func burst() async throws {
        ProcessLimits.raiseDescriptorLimit()
        try await TestServer.run(tls: Self.tls()) { server in
            let clients = try (0..<1000).map { _ in try halfway(server) }
            try await unfinished(server, reach: 1000)
            for client in clients {
                client.send(Self.get)
                #expect(try client.reply().status == 200)
            }
            #expect(try await counts(server, total: 1000) == count { $0.full = 1000 })
        }
    }

    @Test("A flood of single bytes from one client ends no handshake of two seconds")
    func flood() async throws {
        try await TestServer.run({ $0.handshakes = 50 }, tls: Self.tls()) { server in
            // One of the same client, and one that begins late.
            let begun = try [1, 2].map { try halfway(server, host: $0) }
            let silent = try RawClient(port: server.port, host: 3)
            try await answered(server, reach: 2)
            try await unfinished(server, reach: 3)
            let began = MonotonicTime.clock()
            var flood: [RawClient] = []
            while MonotonicTime.clock() - began < .seconds(2) {
                let client = try RawClient(port: server.port)
                client.send([22])
                flood.append(client)
                if flood.count > 100 { _ = flood.removeFirst().end(within: 1) }
            }
            for client in begun {
                client.send(Self.get)
                #expect(try client.reply().status == 200)
            }
            try silent.startTLS()
            silent.send(Self.get)
            #expect(try silent.reply().status == 200)
            #expect(try await server.on { server, _ in server.handshakes.shed } > 100)
        }
    }

    @Test("A newcomer gets in at once when a handshake is done")
    func room() async throws {
        try await TestServer.run({ $0.handshakes = 1 }, tls: Self.tls()) { server in
            for _ in 0..<5 {
                let client = try server.client()
                client.send(Self.get)
                #expect(try client.reply().status == 200)
            }
            #expect(try await counts(server, total: 5).full == 5)
        }
    }

    @Test("At the connection limit a handshake of a second gives way, and counts as shed twice over")
    func connectionLimit() async throws {
        try await TestServer.run(
            {
                $0.handshakes = 2
                $0.connections = 1
                $0.connectionsAboveLimit = 0
            }, tls: Self.tls()
        ) { server in
            let silent = try RawClient(port: server.port)
            try await poll(while: try await server.connectionCount == 0) { "no connection" }
            let newcomer = try server.client()
            newcomer.send(Self.get)
            #expect(try newcomer.reply().status == 200)
            #expect(silent.readToEnd().end == .fin)
            #expect(try await server.on { server, _ in server.shed } == ShedCounts(slowHeads: 1))
            #expect(try await counts(server, total: 2) == count { ($0.shed, $0.full) = (1, 1) })
        }
    }

    // MARK: Success

    @Test("Full and resumed handshakes are counted")
    func counted() async throws {
        try await TestServer.run(tls: Self.tls()) { server in
            let client = TLSClient()
            for _ in 0..<2 {
                let raw = try server.client(tls: client)
                raw.send(Self.get)
                #expect(try raw.reply().text == "TLS 1.3 -")
                raw.tls?.keepSession()
            }
            #expect(try await counts(server, total: 2) == count { ($0.full, $0.resumed) = (1, 1) })
        }
    }

    @Test("Strict-Transport-Security is once in every answer over TLS, even if the answer has its own")
    func strict() async throws {
        try await TestServer.run(tls: Self.tls(hsts: "max-age=60; includeSubDomains")) { server in
            func values(_ request: String) throws -> [String] {
                let client = try server.client()
                client.send(request)
                return try client.reply().values("Strict-Transport-Security")
            }
            let targets = ["/", "/large", "/health", "/strict", "/strict?large", "/strict?stream"]
            let requests = targets.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" } + ["BAD\r\n\r\n"]
            for request in requests {
                #expect(try values(request) == ["max-age=60; includeSubDomains"], "\(request)")
            }
            try await server.on { server, _ in
                guard let tls = server.tls else { return }
                server.use(tls: InboundTLS(tls.context))
            }
            for request in requests {
                let own = request.contains("/strict") ? ["max-age=1"] : []
                #expect(try values(request) == own, "\(request)")
            }
        }
    }

    @Test("An exchange knows the version and the client's certificate, also of a resumed connection")
    func certificates() async throws {
        let shown = TestAuthority.shared.issue("DNS:partner.example.com")
        let client = TLSClient(
            {
                var options = TLSClient.Options()
                options.identity = shown
                options.isOnly12 = true
                return options
            }())
        try await TestServer.run(tls: Self.tls { $0.clients = Self.clients() }) { server in
            for _ in 0..<2 {
                let raw = try server.client(tls: client)
                raw.send(Self.get)
                #expect(try raw.reply().text == "TLS 1.2 partner.example.com")
                raw.send("GET /missing HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try raw.reply()
                raw.tls?.keepSession()
            }
            try await server.log.wait(for: "direct GET 404 completed")
            let direct = try await server.on { _, handler in
                handler.direct.last.map { ($0.tlsVersion, $0.clientCertificate?.name) }
            }
            #expect(direct?.0 == .tls12 && direct?.1 == "partner.example.com")
            #expect(try await counts(server, total: 2) == count { ($0.full, $0.resumed) = (1, 1) })
        }
    }

    // MARK: Behind proxies

    @Test("A header of the PROXY protocol comes before the handshake, at once or byte by byte")
    func proxy() async throws {
        var settings = try ClientTests.settings(trusting: ["127.0.0.0/8"], by: .proxyProtocol)
        settings.forward = .none
        try await TestServer.run(clients: settings, tls: Self.tls()) { server in
            for isSlow in [false, true] {
                let client = try RawClient(port: server.port)
                let line = "PROXY TCP4 203.0.113.9 127.0.0.1 4711 443\r\n"
                if isSlow {
                    for byte in line.utf8 { client.send([byte]) }
                } else {
                    client.send(line)
                }
                try client.startTLS()
                client.send("GET /client HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.reply().text.hasPrefix("203.0.113.9 "))
            }
            let missing = try RawClient(port: server.port, tls: .usual)
            #expect(missing.readToEnd().bytes.isEmpty)
            try await server.log.wait(for: "no PROXY header: missing")
            #expect(try await server.on { server, _ in server.unfinishedHandshakes } == 0)
        }
    }

    // MARK: Reload and drain

    @Test("A new certificate is served from then on, and open connections go on")
    func reload() async throws {
        try await TestServer.run(tls: Self.tls()) { server in
            let old = try server.idleClient()
            let certificate = old.tls?.certificate
            let new = try Self.tls()
            try await server.on { server, _ in server.use(tls: new) }
            let client = try server.idleClient()
            #expect(client.tls?.certificate != certificate)
            old.send(Self.get)
            #expect(try old.reply().value("Connection") == nil)
        }
    }

    @Test(
        "When the authority changes, earlier connections finish: idle ones close, busy ones with their answer"
    )
    func policy() async throws {
        let shown = TestAuthority.shared.issue("DNS:partner.example.com")
        var options = TLSClient.Options()
        options.identity = shown
        let identified = TLSClient(options)
        try await TestServer.run(
            { $0.drainGrace = .milliseconds(20) }, tls: Self.tls { $0.clients = Self.clients() }
        ) { server in
            let idle = try server.client(tls: identified)
            idle.send(Self.get)
            _ = try idle.reply()
            let busy = try server.client(tls: identified)
            busy.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            let endless = try server.client(tls: identified)
            endless.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            try await server.log.wait(for: "held 1")
            try await server.log.wait(for: "streaming 1")
            let new = try Self.tls { $0.clients = Self.clients(.other) }
            try await server.on { server, _ in
                server.retirementTime = .milliseconds(900)
                server.use(tls: new)
            }
            #expect(idle.readToEnd() == ([], .fin))
            try await poll(
                while: try await server.on { server, _ in
                    server.serving.contains { $0.map { !$0.state.isDraining } ?? false }
                }
            ) { "not all know" }
            try await server.on { _, handler in handler.answerLater("done") }
            #expect(try busy.reply().value("Connection") == "close")
            #expect(busy.readToEnd().end == .fin)
            // Its answer never ends.
            #expect(endless.readToEnd().end == .reset)
            try await server.log.wait(for: "finished /stream drain")
            try await server.connectionsLeft()
        }
    }

    @Test("Without a change of the policy no connection closes, and a plain server stays plain")
    func unchanged() async throws {
        let policy = Self.clients()
        let shown = TestAuthority.shared.issue("DNS:partner.example.com")
        var options = TLSClient.Options()
        options.identity = shown
        try await TestServer.run(tls: Self.tls { $0.clients = policy }) { server in
            let client = try server.client(tls: TLSClient(options))
            client.send(Self.get)
            _ = try client.reply()
            let new = try Self.tls { $0.clients = policy }
            try await server.on { server, _ in
                server.retirementTime = .zero
                server.use(tls: new)
            }
            client.send(Self.get)
            #expect(try client.reply().value("Connection") == nil)
        }
        try await TestServer.run { server in
            let new = try Self.tls()
            try await server.on { server, _ in server.use(tls: new) }
            let client = try server.client()
            client.send(Self.get)
            #expect(try client.reply().text == "plain -")
        }
    }

    @Test("A drain closes connections that have sent nothing, and serves a handshake that has begun")
    func drain() async throws {
        try await TestServer.run({ $0.drainGrace = .milliseconds(30) }, tls: Self.tls()) { server in
            let silent = try RawClient(port: server.port)
            let begun = try RawClient(port: server.port)
            try await poll(while: try await server.connectionCount < 2) { "not accepted" }
            begun.send([22])
            try await poll(
                while: try await server.on { server, _ in
                    server.connections.compactMap { $0 as? ArrivingConnection }.count { !$0.stream.isOpen }
                        == 0
                }
            ) { "no handshake has begun" }
            let left = Signal()
            try await server.on { server, _ in
                server.onIdle = { left.fire() }
                server.beginDrain()
                server.stopAccepting()
            }
            #expect(silent.readToEnd() == ([], .fin))
            #expect(try await server.connectionCount == 1)
            begun.close()
            try await left.wait()
        }
    }
}
