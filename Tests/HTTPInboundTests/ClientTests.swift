import HTTPModel
import TestSupport
import Testing

@testable import HTTPInbound

@Suite("The client of a request", .timeLimit(.minutes(1)), .bothCarriers)
struct ClientTests {
    static func settings(
        trusting entries: [String] = ["loopback"], by header: ClientHeader = .xForwardedFor,
        requestID: RequestIDSource = .any
    ) throws -> ClientSettings {
        var settings = ClientSettings()
        settings.trusted = try TrustedProxies(entries)
        settings.header = header
        settings.requestID = requestID
        return settings
    }

    /// Asks who the client is: its address, scheme, host and request id.
    static func ask(_ client: RawClient, _ lines: String...) throws -> String {
        client.send((["GET /client HTTP/1.1", "Host: x"] + lines + ["", ""]).joined(separator: "\r\n"))
        return try client.reply().text
    }

    @Test("The fields of a peer that is not trusted do not count")
    func untrusted() async throws {
        let settings = try Self.settings(trusting: ["10.0.0.0/8"])
        for settings in [settings, ClientSettings()] {
            try await TestServer.run(clients: settings) { server in
                let client = try server.client()
                let answer = try Self.ask(
                    client, "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https", "X-Forwarded-Host: a")
                #expect(answer == "127.0.0.1 - - -")
            }
        }
    }

    @Test(
        "A trusted peer tells the client of each request, and the peer is the client of the next one without fields"
    )
    func trusted() async throws {
        try await TestServer.run(clients: try Self.settings()) { server in
            let client = try server.client()
            #expect(try Self.ask(client, "X-Forwarded-For: 203.0.113.9") == "203.0.113.9 - - -")
            #expect(
                try Self.ask(
                    client, "X-Forwarded-For: 6.6.6.6, 2001:db8::1", "X-Forwarded-Proto: https",
                    "X-Forwarded-Host: shop.example") == "2001:db8::1 https shop.example -")
            #expect(try Self.ask(client, "X-Forwarded-Proto: https") == "127.0.0.1 https - -")
            #expect(try Self.ask(client) == "127.0.0.1 - - -")
        }
    }

    @Test("Answers of decide and refusals have the request's client, too")
    func direct() async throws {
        try await TestServer.run(clients: try Self.settings()) { server in
            let client = try server.client()
            client.send("GET /missing HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n")
            #expect(try client.reply().status == 404)
            client.send(
                "POST /small HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.8\r\nContent-Length: 11\r\n\r\n"
            )
            #expect(try client.reply().status == 413)
            let next = try server.client()
            next.send("GET /missing HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try next.reply().status == 404)
            let clients = try await server.on { _, handler in handler.direct.map(\.clientText) }
            #expect(clients == ["203.0.113.9", "203.0.113.8", "127.0.0.1"])
        }
    }

    @Test(
        "X-Request-Id is kept from anybody, from trusted peers, or never",
        arguments: [
            (RequestIDSource.any, "loopback", "a1"), (.any, "10.0.0.0/8", "a1"), (.trusted, "loopback", "a1"),
            (.trusted, "10.0.0.0/8", "-"), (.never, "loopback", "-"), (.never, "10.0.0.0/8", "-"),
        ])
    func requestID(_ source: RequestIDSource, _ trusted: String, _ expected: String) async throws {
        try await TestServer.run(clients: try Self.settings(trusting: [trusted], requestID: source)) {
            server in
            let answer = try Self.ask(try server.client(), "X-Request-Id: a1")
            #expect(answer == "127.0.0.1 - - \(expected)")
        }
    }

    @Test("A reload changes whom open connections trust")
    func reload() async throws {
        try await TestServer.run(clients: try Self.settings(trusting: ["10.0.0.0/8"])) { server in
            let client = try server.client()
            #expect(try Self.ask(client, "X-Forwarded-For: 203.0.113.9") == "127.0.0.1 - - -")
            let settings = try Self.settings()
            try await server.on { server, handler in
                server.use(
                    handler, limits: server.limits, clients: settings, errorRenderer: server.errorRenderer)
            }
            #expect(try Self.ask(client, "X-Forwarded-For: 203.0.113.9") == "203.0.113.9 - - -")
        }
    }
}

@Suite("The PROXY protocol", .timeLimit(.minutes(1)))
struct ProxyProtocolTests {
    private static let line = "PROXY TCP4 203.0.113.9 127.0.0.1 4711 80\r\n"

    private static func run(
        _ change: (inout InboundLimits) -> Void = { _ in }, trusting entries: [String] = ["loopback"],
        requestID: RequestIDSource = .any, _ body: (TestServer) async throws -> Void
    ) async throws {
        let settings = try ClientTests.settings(trusting: entries, by: .proxyProtocol, requestID: requestID)
        try await TestServer.run(change, clients: settings, body)
    }

    @Test(
        "A trusted peer that begins with anything else is closed without an answer, and counted",
        arguments: [
            ("GET /client HTTP/1.1\r\nHost: x\r\n\r\n", "missing"), ("PROXY TCP4 1.2.3.4\r\n", "malformed"),
            ("PROXY UNKNOWN " + String(repeating: "x", count: 200), "too_long"),
        ])
    func refused(_ text: String, _ reason: String) async throws {
        try await Self.run { server in
            let client = try server.client()
            client.send(text)
            #expect(client.readToEnd().bytes == [])
            try await server.log.wait(for: "no PROXY header: \(reason)")
            try await server.connectionsLeft()
            #expect(try await server.on { server, _ in server.refusedProxyHeaders } == 1)
        }
    }

    @Test("A connection that ends within its header is counted, and one that ends before it is not")
    func ended() async throws {
        try await Self.run { server in
            let silent = try server.client()
            silent.shutdownWrite()
            #expect(silent.readToEnd().bytes == [])
            let client = try server.client()
            client.send("PROXY TCP4 203.")
            client.shutdownWrite()
            #expect(client.readToEnd().bytes == [])
            try await server.connectionsLeft()
            #expect(server.log.events.filter { $0.hasPrefix("no PROXY") } == ["no PROXY header: malformed"])
        }
    }

    @Test("A header that does not arrive within the deadline of a head is closed")
    func late() async throws {
        try await Self.run({ $0.headerDeadline = .milliseconds(50) }) { server in
            let client = try server.client()
            client.send("PROXY ")
            #expect(client.readToEnd().bytes == [])
            try await server.log.wait(for: "no PROXY header: timeout")
        }
    }

    @Test("From a peer that is not trusted, the header is a malformed request")
    func untrusted() async throws {
        try await Self.run(trusting: ["10.0.0.0/8"]) { server in
            for text in [Self.line, "\r\n\r\n\0\r\nQUIT\n"] {
                let client = try server.client()
                client.send(text)
                #expect(try client.reply().status == 400)
            }
            let client = try server.client()
            #expect(try ClientTests.ask(client, "X-Forwarded-For: 203.0.113.9") == "127.0.0.1 - - -")
        }
    }

    @Test("Its client is the client of all requests of the connection, and their own fields do not count")
    func client() async throws {
        try await Self.run { server in
            let client = try server.client()
            client.send(Self.line)
            for _ in 0..<2 {
                #expect(
                    try ClientTests.ask(
                        client, "X-Forwarded-For: 6.6.6.6", "X-Forwarded-Proto: https", "X-Forwarded-Host: a",
                        "X-Request-Id: a1") == "203.0.113.9 - - a1")
            }
        }
    }

    @Test("A header in single bytes, and one with the request behind it, are read")
    func pieces() async throws {
        try await Self.run { server in
            let client = try server.client()
            for byte in Self.line.utf8 { client.send([byte]) }
            #expect(try ClientTests.ask(client) == "203.0.113.9 - - -")
            let other = try server.client()
            other.send("PROXY TCP6 2001:db8::1 ::1 1 2\r\nGET /client HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try other.reply().text == "2001:db8::1 - - -")
        }
    }

    @Test("Version 2 tells the scheme of a client with TLS, and LOCAL keeps the peer")
    func binary() async throws {
        let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
        try await Self.run { server in
            let client = try server.client()
            client.send(
                signature + [
                    0x21, 0x11, 0, 20, 203, 0, 113, 9, 127, 0, 0, 1, 1, 2, 3, 4, 0x20, 0, 5, 1, 0, 0, 0, 0,
                ])
            #expect(try ClientTests.ask(client) == "203.0.113.9 https - -")
            let local = try server.client()
            local.send(signature + [0x20, 0, 0, 0])
            #expect(try ClientTests.ask(local, "X-Forwarded-For: 6.6.6.6") == "127.0.0.1 - - -")
        }
    }

    @Test("The request id of its client is not kept, but the request id of a trusted proxy behind it is")
    func requestID() async throws {
        try await Self.run(trusting: ["loopback", "198.51.100.7"], requestID: .trusted) { server in
            let client = try server.client()
            client.send(Self.line)
            #expect(try ClientTests.ask(client, "X-Request-Id: a1") == "203.0.113.9 - - -")
            let proxy = try server.client()
            proxy.send("PROXY TCP4 198.51.100.7 127.0.0.1 4711 80\r\n")
            #expect(try ClientTests.ask(proxy, "X-Request-Id: a1") == "198.51.100.7 - - a1")
        }
    }

    @Test("At the connection limit each client behind it counts by itself")
    func connectionLimit() async throws {
        func idle(_ server: TestServer, _ address: String) throws -> RawClient {
            let client = try server.client()
            client.send("PROXY TCP4 \(address) 127.0.0.1 1 2\r\n")
            _ = try ClientTests.ask(client)
            return client
        }
        try await Self.run({ $0.connections = 4 }) { server in
            // The oldest connection is of a client with one, and the next client has three.
            let single = try idle(server, "203.0.113.1")
            let many = try (0..<3).map { _ in try idle(server, "203.0.113.2") }
            let newcomer = try idle(server, "203.0.113.3")
            #expect(many[0].readToEnd() == ([], .fin))
            for client in [single, many[1], many[2], newcomer] { _ = try ClientTests.ask(client) }
            #expect(try await server.on { server, _ in server.shed } == ShedCounts(idle: 1))
        }
    }

    @Test("A reload that asks for the header does not ask open connections for it")
    func reload() async throws {
        try await TestServer.run(clients: try ClientTests.settings()) { server in
            let client = try server.client()
            #expect(try ClientTests.ask(client, "X-Forwarded-For: 203.0.113.9") == "203.0.113.9 - - -")
            let settings = try ClientTests.settings(by: .proxyProtocol)
            try await server.on { server, handler in
                server.use(
                    handler, limits: server.limits, clients: settings, errorRenderer: server.errorRenderer)
            }
            #expect(try ClientTests.ask(client, "X-Forwarded-For: 203.0.113.9") == "127.0.0.1 - - -")
            let next = try server.client()
            next.send(Self.line)
            #expect(try ClientTests.ask(next) == "203.0.113.9 - - -")
            // Back again: the client behind the header is not a proxy.
            let before = try ClientTests.settings()
            try await server.on { server, handler in
                server.use(
                    handler, limits: server.limits, clients: before, errorRenderer: server.errorRenderer)
            }
            #expect(try ClientTests.ask(next, "X-Forwarded-For: 6.6.6.6") == "203.0.113.9 - - -")
        }
    }
}
