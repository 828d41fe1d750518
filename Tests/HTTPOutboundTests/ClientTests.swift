import EventIO
import HTTPModel
import Locking
import Rx
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Clients", .timeLimit(.minutes(1)))
struct ClientTests {
    static let ok = CallTests.ok

    @Test("A call to an unknown host name fails with dns_error")
    func noName() async throws {
        let resolver = Resolver(lookup: { .failure(SocketError(.nameNotFound, .resolve, subject: $0)) })
        try await ClientHarness.with(resolver: resolver) { harness in
            let origin = try #require(Origin(host: "nowhere.example", port: 80))
            let result = try await harness.upstream(origin).get()
            #expect(result.reason == "dns_error", "\(result)")
        }
    }

    @Test("A silent resolver fails the call with dns_timeout at the connect limit")
    func silentResolver() async throws {
        let held = Signal()
        var limits = OutboundLimits.patient
        limits.connectTimeout = .milliseconds(100)
        try await ClientHarness.with(limits: limits, resolver: Self.silent(held)) { harness in
            let origin = try #require(Origin(host: "silent.example", port: 80))
            let start = ContinuousClock.now
            let result = try await harness.upstream(origin).get()
            #expect(result.reason == "dns_timeout", "\(result)")
            #expect(start.duration(to: .now) >= .milliseconds(100))
        }
        held.fire()
    }

    @Test("A silent resolver does not delay other upstreams")
    func silentResolverAlone() async throws {
        let held = Signal()
        let other = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        var limits = OutboundLimits.patient
        limits.connectTimeout = .seconds(19)
        try await ClientHarness.with(limits: limits, resolver: Self.silent(held)) { harness in
            let origin = try #require(Origin(host: "silent.example", port: 80))
            let slow = try await harness.upstream(origin).begin(OutboundRequest(target: "/"))
            #expect(try await harness.upstream(other).get().text == "hi")
            #expect(!slow.hasEnded)
            slow.dispose()
        }
        held.fire()
        other.stop()
    }

    /// A resolver that blocks each lookup until the signal fires.
    static func silent(_ held: Signal) -> Resolver {
        Resolver(lookup: { host in
            try? held.waitBlocking()
            return .failure(SocketError(.nameNotFound, .resolve, subject: host))
        })
    }

    @Test("The client tries each address of a name in turn")
    func addresses() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        let port = Int(upstream.port)
        let resolver = Resolver(lookup: { _ in
            .success(
                [SocketAddress(host: "127.0.0.2", port: port), SocketAddress(host: "127.0.0.1", port: port)]
                    .compactMap { $0 })
        })
        try await ClientHarness.with(resolver: resolver) { harness in
            let origin = try #require(Origin(host: "two.example", port: upstream.port))
            #expect(try await harness.upstream(origin).get().text == "hi")
            #expect(upstream.requests.first?.contains("Host: two.example:\(port)\r\n") == true)
        }
        upstream.stop()
    }

    @Test("An invalid request is refused before any byte is sent")
    func badRequest() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for target in ["", "a b", "/a b", "/a\r\nX: y", "/\u{e9}", "/a#b"] {
                let result = try await api.get(target)
                #expect(result.reason == "http_request_error", "\(target): \(result)")
            }
            let injected = try await api.call(
                OutboundRequest(target: "/", fields: ["X-Name": "a\r\nHost: evil"]))
            #expect(injected.reason == "http_request_error")
            #expect(try await api.get().text == "hi")
            #expect(upstream.requests.count == 1)
        }
        upstream.stop()
    }

    @Test("The client ignores the caller's hop-by-hop and framing fields")
    func ownFields() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let fields: HTTPFields = [
                "Host": "evil", "Content-Length": "100", "Transfer-Encoding": "chunked",
                "Connection": "close", "TE": "gzip",
                "Keep-Alive": "x", "Upgrade": "h2c", "Expect": "100-continue", "Trailer": "x", "X-Mine": "1",
            ]
            let api = try await harness.upstream(upstream)
            let request = OutboundRequest(method: .put, target: "/a", fields: fields, body: "body")
            var settings = CallSettings()
            settings.sharedFields = ["Accept": "*/*", "Host": "evil", "User-Agent": "sluice"]
            #expect(try await api.call(request, settings: settings).text == "hi")
            #expect(
                upstream.requests == [
                    "PUT /a HTTP/1.1\r\nHost: 127.0.0.1:\(upstream.port)\r\nX-Mine: 1\r\n"
                        + "Accept: */*\r\nUser-Agent: sluice\r\nContent-Length: 4\r\n\r\nbody"
                ])
        }
        upstream.stop()
    }

    @Test("An upstream may listen on a Unix-domain socket")
    func unixSocket() async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("socket")
        let absent = try #require(Origin(unixSocket: path))
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(absent)
            #expect(try await api.get().reason == "connection_refused")
        }
        let upstream = try ScriptedUpstream(unixPath: path, [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(try #require(Origin(unixSocket: path, host: "diary")))
            for _ in 0..<3 { #expect(try await api.get().text == "hi") }
            #expect(upstream.requests.first == "GET / HTTP/1.1\r\nHost: diary\r\n\r\n")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("Equal origins share a pool")
    func samePool() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let apis = [try await harness.upstream(upstream), try await harness.upstream(upstream)]
            for api in apis { #expect(try await api.get().text == "hi") }
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("Calls end with their responses, even if nobody keeps the client", arguments: [1, 3])
    func unkept(calls: Int) async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        let group = try EventLoopGroup(count: 1)
        let origin = try #require(Origin(host: "127.0.0.1", port: upstream.port))
        let results = Lock<[String]>([])
        let ended = Signal()
        try await group.loops[0].perform {
            // All but the first wait for its connection.
            let client = HTTPClient(loop: group.loops[0], limits: PoolLimitTests.limits(connections: 1))
            for _ in 0..<calls {
                _ = client.origin(origin).send(OutboundRequest(target: "/")) { result in
                    results.withLock { $0.append(result.text ?? "\(result)") }
                    ended.fire()
                }
            }
        }
        try await ended.wait(count: calls)
        #expect(results.withLock { $0 } == Array(repeating: "hi", count: calls))
        group.shutdown()
        upstream.stop()
    }

    @Test("Closing a client fails running and waiting calls, refuses new calls, and closes all connections")
    func close() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .readRequest, .awaitEnd])
        try await ClientHarness.with(limits: PoolLimitTests.limits(connections: 1)) { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            let calls = (0..<3).map { _ in api.begin(OutboundRequest(target: "/")) }
            try await upstream.requestRead.wait(count: 2)
            try await harness.until { $0.waiting == 2 }
            try await harness.loop.perform { [client = harness.client] in client.close() }
            for call in calls { #expect(try await call.end().reason == "destination_unavailable") }
            try await upstream.clientEnded.wait()
            #expect(try await api.get().reason == "destination_unavailable")
            let late = try await harness.upstream(try #require(Origin(host: "127.0.0.1", port: 1)))
            #expect(try await late.get().reason == "destination_unavailable")
        }
        upstream.stop()
    }

    @Test("When the loop ends, running and waiting calls fail")
    func loopEnds() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let client = try await loop.perform {
            HTTPClient(loop: loop, limits: PoolLimitTests.limits(connections: 1))
        }
        let origin = try #require(Origin(host: "127.0.0.1", port: upstream.port))
        let api = try await loop.perform { client.origin(origin) }
        let calls = (0..<3).map { _ in api.begin(OutboundRequest(target: "/")) }
        try await upstream.requestRead.wait()
        group.shutdown()
        for call in calls { #expect(try await call.end().reason == "destination_unavailable") }
        let ended = Signal()
        let late = Lock<String?>(nil)
        _ = api.send(OutboundRequest(target: "/")).subscribe(onFailure: { error in
            late.withLock { $0 = (error as? OutboundError)?.reason.token }
            ended.fire()
        })
        try await ended.wait()
        #expect(late.withLock { $0 } == "destination_unavailable")
        upstream.stop()
    }

    @Test("A response of several megabytes arrives complete")
    func largeResponse() async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 18)
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"),
            .again,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for _ in 0..<2 { #expect(try await api.get().text == text) }
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }
}
