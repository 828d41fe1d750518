import GatewayCore
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Lines of the log for people", .timeLimit(.minutes(1)))
struct AccessTextTests {
    private static func text(_ port: UInt16) -> String {
        """
        version: 1
        log: {level: error, format: text, fields: [X-Tenant, X-Shop]}
        upstreams: {shop: {url: "http://127.0.0.1:\(port)"}}
        endpoints:
        - get: /retried
          parts:
            product: {upstream: shop, get: /product}
        - get: /partial
          parts:
            name: {value: 1}
            product: {upstream: shop, get: /product, attempts: 1, optional: true}
        - get: /slow
          slow: 5ms
          parts:
            product: {upstream: shop, get: /product}
        - get: /typed
          query: {page: {type: integer}, size: {type: integer}}
          data: {value: 1}

        """
    }

    private static let unavailable = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"

    /// Serves with an upstream that follows these scripts, and expects one line, which has this pattern
    /// between the time of day and the ID.
    private func expect(
        _ pattern: String, _ scripts: [ScriptedUpstream.Step]...,
        body: (FileGateway, ScriptedUpstream) throws -> Void
    ) throws {
        let upstream = try ScriptedUpstream(.open, scripts)
        defer { upstream.stop() }
        let lines = try withLoggedFile(Self.text(upstream.port)) { try body($0, upstream) }
        try #require(lines.count == 1, "\(lines)")
        let pattern = pattern.replacing("ADDRESS", with: "127\\.0\\.0\\.1:\(upstream.port)")
            .replacing("TOOK", with: #"\d+(\.\d)?ms 0\.\dK"#)
        let whole = try Regex(#"\d\d:\d\d:\d\d\.\d{3} \#(pattern)  [a-z0-9]{15}"#)
        #expect(lines[0].wholeMatch(of: whole) != nil, "\(lines[0]) is not \(pattern)")
    }

    @Test("A slow request ends with the part, the upstream, the phase and its time")
    func slow() throws {
        try expect(
            #"200 GET /slow TOOK  slow: product, shop body \d+ms"#,
            [.readRequest, .trickle(FileGateway.ok(), pauseMilliseconds: 2)]
        ) { gateway, _ in
            let reply = try gateway.get("/slow")
            #expect(reply.status == 200)
        }
    }

    @Test("A refused request ends with what the answer complains of")
    func refused() throws {
        try expect(
            #"400 GET /typed TOOK  INVALID_REQUEST  refused: query\.page, query\.size"#, [.awaitEnd]
        ) { gateway, _ in
            let reply = try gateway.get("/typed?page=x&size=y")
            #expect(reply.status == 400)
        }
    }

    @Test("Fields of the request that the log is to have come before the ID, quoted if they have spaces")
    func fields() throws {
        for (target, status) in [("/slow", 200), ("/nowhere", 404)] {
            try expect(
                "\(status) GET \(target) TOOK(  slow: .*)?  X-Tenant: acme  X-Shop: \"my shop, b\"",
                [.answer { _ in FileGateway.ok() }]
            ) { gateway, _ in
                let client = try RawClient(port: gateway.server.port)
                client.send(
                    "GET \(target) HTTP/1.1\r\nHost: test\r\nX-Shop: my shop\r\nX-Tenant: acme\r\nX-Shop: b\r\n\r\n"
                )
                #expect(client.receive()?.status == status)
            }
        }
    }

    @Test("A failure after several attempts has their number")
    func attempts() throws {
        try expect(
            "503 GET /retried TOOK  product: upstream_status, shop ADDRESS, 3 attempts",
            [.answer { _ in Self.unavailable }]
        ) { gateway, _ in
            let reply = try gateway.get("/retried")
            #expect(reply.status == 503)
        }
    }

    @Test("A partial answer names the part that is missing")
    func partial() throws {
        try expect(
            "200 GET /partial TOOK  product: upstream_status, shop ADDRESS, 1 attempt",
            [.answer { _ in Self.unavailable }]
        ) { gateway, _ in
            let reply = try gateway.get("/partial")
            #expect(reply.text.contains("PARTIAL"))
        }
    }

    @Test("An answer that did not get to its end says how it ended, and what it was waiting for")
    func unfinished() throws {
        try expect(
            "499 GET /retried TOOK  client_gone  product: cancelled, shop ADDRESS", [.readRequest, .awaitEnd]
        ) { gateway, upstream in
            let client = try RawClient(port: gateway.server.port)
            client.send("GET /retried HTTP/1.1\r\nHost: test\r\n\r\n")
            try upstream.requestRead.waitBlocking()
            client.reset()
            try spin(while: gateway.server.settled.requests > 0) { "the request goes on" }
        }
    }
}
