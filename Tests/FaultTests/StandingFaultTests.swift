import Dispatch
import GatewayCore
import Glibc
import JSONBytes
import Locking
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

/// Covers faults that need many requests or many clients to appear.
@Suite("Lasting faults", .timeLimit(.minutes(2)))
struct StandingFaultTests {
    private static func good(_ side: Side, _ scheme: UpstreamScheme = .http) throws -> ScriptedUpstream {
        try ScriptedUpstream(tls: scheme.server, [.readRequest, .send(side.answer), .again])
    }

    @Test(
        "A pooled connection that closes as the next request is written never fails a client, in 1000 tries",
        arguments: UpstreamScheme.allCases)
    func stale(_ scheme: UpstreamScheme) async throws {
        let complaints = try await BlockingThreads.run {
            let a = try ScriptedUpstream(
                tls: scheme.server, [.readRequest, .send(Side.a.answer), .read(1), .close])
            let b = try Self.good(.b, scheme)
            let gateway = try FaultGateway([.a: a.port, .b: b.port], scheme: scheme)
            var complaints = Complaints()
            do {
                let client = try RawClient(port: gateway.port)
                // The thousandth request is the last of its connection.
                for _ in 0..<999 where complaints.list.isEmpty {
                    complaints.expectPage(client, "a stale connection")
                }
                complaints.expectPage(port: gateway.port)
            }
            complaints.expectEqual(a.connections, 1000, "the number of connections")
            a.stop()
            b.stop()
            if let left = gateway.leftovers([a.port, b.port]) { complaints.expect(false, left) }
            gateway.stop()
            return complaints.list
        }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test(
        "A POST that meets a closing connection fails and is never sent twice",
        arguments: UpstreamScheme.allCases)
    func stalePost(_ scheme: UpstreamScheme) async throws {
        try await BlockingThreads.run {
            let a = try ScriptedUpstream(
                tls: scheme.server, [.readRequest, .send(Side.a.answer), .readRequest, .close])
            let gateway = try FaultGateway([.a: a.port], scheme: scheme) {
                // Every second request fails.
                $0.upstreamPolicy.breaker = nil
            }
            defer { gateway.stop() }
            defer { a.stop() }
            let client = try RawClient(port: gateway.port)
            for number in 0..<200 {
                client.send(
                    "POST /page HTTP/1.1\r\nHost: test\r\nX-Request-Id: n\(number).\r\nContent-Length: 0\r\n\r\n"
                )
                let reply = try client.reply()
                guard reply.status == (number % 2 == 0 ? 200 : 502) else {
                    throw UnmetExpectation("\(number): \(reply)")
                }
                guard number % 2 == 0 || reply.text.contains(#""reason":"connection_terminated""#),
                    number % 2 == 0 || reply.text.contains(#""attempts":1,"notRetried":"method","#)
                else { throw UnmetExpectation("\(number): \(reply)") }
            }
            for number in 0..<200 {
                let times = a.requests.count { $0.contains(": n\(number).\r\n") }
                guard times == 1 else { throw UnmetExpectation("number \(number) came \(times) times") }
            }
        }
    }

    @Test(
        "A slow part delays its page only up to its limit, and other endpoints are unaffected",
        arguments: UpstreamScheme.allCases)
    func slowPart(_ scheme: UpstreamScheme) async throws {
        try await BlockingThreads.run {
            // A machine that is busy for longer than a limit says nothing of the gateway.
            var complaint: String?
            for limit in [400, 1600, 6400] {
                complaint = try Self.slowPart(scheme, limit: limit)
                if complaint == nil { return }
            }
            throw UnmetExpectation(complaint ?? "")
        }
    }

    /// Forty requests wait for an upstream that is silent, and others come. Returns which times are too long.
    private static func slowPart(_ scheme: UpstreamScheme, limit: Int) throws -> String? {
        let a = try good(.a, scheme)
        let b = try ScriptedUpstream(tls: scheme.server, [.readRequest, .awaitEnd])
        var policy = FaultGateway.patient
        policy.attemptLimits.firstByte = .milliseconds(limit)
        let gateway = try FaultGateway(
            [.a: a.port, .b: b.port], scheme: scheme, faulty: .b, policy: policy
        ) {
            $0.inbound.requestsPerConnection = .max
        }
        defer { gateway.stop() }
        defer { a.stop() }
        defer { b.stop() }
        let slow = try (0..<40).map { _ in
            let client = try RawClient(port: gateway.port)
            client.send("GET /fault HTTP/1.1\r\nHost: test\r\n\r\n")
            return client
        }
        let other = try RawClient(port: gateway.port)
        let clock = ContinuousClock()
        var others: [Duration] = []
        while !slow.contains(where: { $0.end(within: 0) != .silence }) {
            let began = clock.now
            guard other.get("/apart")?.status == 200 else {
                throw UnmetExpectation("another endpoint is affected")
            }
            others.append(clock.now - began)
        }
        // The median counts, because the machine may be busy.
        guard others.count >= 10,
            others.sorted()[others.count / 2] < .milliseconds(50) * Sanitizer.slowdown
        else {
            return "other endpoints: \(others.sorted())"
        }
        var totals: [Double] = []
        for client in slow {
            let reply = try client.reply()
            guard reply.status == 200, reply.text.contains("\"code\":\"PARTIAL\"") else {
                throw UnmetExpectation("\(reply)")
            }
            let json = try JSONFragment(validating: reply.body[...])
            totals.append(json[member: "meta"]?[member: "elapsedMs"]?.doubleValue ?? 0)
        }
        guard totals.allSatisfy({ $0 >= Double(limit) }) else { throw UnmetExpectation("\(totals)") }
        guard totals.sorted()[20] < Double(2 * limit) else { return "requests: \(totals.sorted())" }
        return nil
    }

    @Test(
        "While all upstreams are down each request fails at once, and within maxOpen after their return all is well",
        arguments: UpstreamScheme.allCases)
    func allDown(_ scheme: UpstreamScheme) async throws {
        let complaints = try await BlockingThreads.run {
            let upstreams = try Side.allCases.map {
                try ScriptedUpstream(
                    .closed, [[.readRequest, .send($0.answer), .again]], tls: scheme.server)
            }
            let maxOpen = Duration.milliseconds(400)
            let gateway = try FaultGateway(
                [.a: upstreams[0].port, .b: upstreams[1].port], scheme: scheme
            ) {
                $0.upstreamPolicy.breaker?.open = .milliseconds(200)
                $0.upstreamPolicy.breaker?.maxOpen = maxOpen
            }
            defer { gateway.stop() }
            var complaints = Complaints()
            let client = try RawClient(port: gateway.port)
            var slowest: [Double] = []
            var refused = 0
            for _ in 0..<20 {
                let reply = try #require(client.get("/page"))
                // From some failures on, the circuits are open.
                let isRefused = reply.text.contains("circuit_open")
                if isRefused { refused += 1 }
                let json = complaints.envelope(
                    reply, isRefused ? 503 : 502, isRefused ? "UPSTREAM_UNAVAILABLE" : "BAD_GATEWAY")
                slowest.append(json?[member: "meta"]?[member: "elapsedMs"]?.doubleValue ?? .infinity)
            }
            complaints.expect(slowest.sorted()[10] <= 50 * Double(Sanitizer.slowdown), "\(slowest) ms")
            complaints.expect((5..<20).contains(refused), "\(refused) of 20 were refused by the circuits")
            for upstream in upstreams { upstream.open() }
            let end = ContinuousClock.now + (maxOpen + .seconds(1)) * Sanitizer.slowdown
            // The status does not tell: a page with one part of two has 200 as well.
            while ContinuousClock.now < end,
                client.get("/page")?.text.contains(#""code":"OK""#) != true
            {}
            complaints.expectPage(client, "the same connection")
            complaints.expectPage(port: gateway.port)
            for upstream in upstreams { upstream.stop() }
            return complaints.list
        }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test(
        "A thousand slow clients are closed at their deadlines, while others are answered within a second"
    )
    func slowClients() async throws {
        let complaints = try await BlockingThreads.run {
            let (a, b) = (try Self.good(.a), try Self.good(.b))
            // All clients share one large body. Unread bytes are not copied.
            let large = JSONFragment(string: "\"" + String(repeating: "a", count: 8 << 20) + "\"")
            let gateway = try FaultGateway([.a: a.port, .b: b.port]) {
                $0.inbound.headerDeadline = .milliseconds(900)
                $0.inbound.bodyDeadline = .milliseconds(900)
                $0.inbound.sendStall = .milliseconds(900)
            } declare: { gateway in
                gateway.get("/large") { _ in .fragment(large) }
            }
            defer { gateway.stop() }
            var complaints = Complaints()
            do {
                // Only every twentieth client does not read its answer, because the kernel buffers megabytes
                // for each of them.
                let starts = [
                    "GET /pa", "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nab", "",
                    "GET /large HTTP/1.1\r\nHost: test\r\n\r\n",
                ]
                let slow = try (0..<1000).map { index in
                    let client = try RawClient(
                        port: gateway.port, receiveBuffer: index % 20 == 3 ? 4096 : nil)
                    client.send(starts[index % 20 == 3 ? 3 : index % 3])
                    return client
                }
                let quick = try RawClient(port: gateway.port)
                let clock = ContinuousClock()
                let waits = (0..<50).map { _ in
                    let began = clock.now
                    complaints.expectPage(quick, "a quick connection")
                    return clock.now - began
                }
                // One long wait may be the machine's: the test has just opened a thousand connections.
                let long = waits.filter { $0 >= .seconds(1) * Sanitizer.slowdown }
                complaints.expect(long.count <= 1, "a quick client waited \(long)")
                for (index, client) in slow.enumerated() where complaints.list.count < 5 {
                    switch index % 20 == 3 ? 3 : index % 3 {
                    case 0, 1:
                        let text = String(decoding: client.readToEnd().bytes, as: UTF8.self)
                        complaints.expect(text.hasPrefix("HTTP/1.1 408 "), "slow client \(index) got \(text)")
                    case 2: complaints.expect(client.reachesEnd(), "silent client \(index) is not closed")
                    default: complaints.expect(client.isReset(within: 5000), "client \(index) is not reset")
                    }
                }
                complaints.expectPage(port: gateway.port)
            }
            a.stop()
            b.stop()
            if let left = gateway.leftovers([a.port, b.port]) { complaints.expect(false, left) }
            return complaints.list
        }
        #expect(complaints.isEmpty, "\(complaints.prefix(5).joined(separator: "\n"))")
    }

    @Test("32 idle clients at a limit of 32 give way: newcomers and health are answered within a second")
    func idleClientsAtTheLimit() async throws {
        let complaints = try await BlockingThreads.run {
            let (a, b) = (try Self.good(.a), try Self.good(.b))
            let gateway = try FaultGateway([.a: a.port, .b: b.port]) { $0.inbound.connections = 32 }
            defer { gateway.stop() }
            var complaints = Complaints()
            do {
                let idle = try (0..<32).map { _ in try RawClient(port: gateway.port) }
                for client in idle { complaints.expectPage(client, "an idle client") }
                let clock = ContinuousClock()
                for path in ["/health/live", "/health/ready"] {
                    let began = clock.now
                    let status = try RawClient(port: gateway.port).get(path)?.status
                    complaints.expectEqual(status, 200, path)
                    complaints.expect(clock.now - began < .seconds(1) * Sanitizer.slowdown, "\(path) waits")
                }
                let began = clock.now
                complaints.expectPage(port: gateway.port)
                complaints.expect(clock.now - began < .seconds(1) * Sanitizer.slowdown, "a newcomer waits")
                complaints.expect(idle[0].reachesEnd(), "the longest-idle client is still there")
                // Up to two more gave way, unless the newcomers before them had left.
                for client in idle[3...] { complaints.expectPage(client, "an idle client that stayed") }
            }
            a.stop()
            b.stop()
            if let left = gateway.leftovers([a.port, b.port]) { complaints.expect(false, left) }
            return complaints.list
        }
        #expect(complaints.isEmpty, "\(complaints.prefix(5).joined(separator: "\n"))")
    }

    @Test("A client's hop-by-hop fields do not remove the gateway's own fields")
    func connectionOptions() async throws {
        try await BlockingThreads.run {
            let (a, b) = (try Self.good(.a), try Self.good(.b))
            let gateway = try FaultGateway([.a: a.port, .b: b.port])
            defer { gateway.stop() }
            defer { a.stop() }
            defer { b.stop() }
            let client = try RawClient(port: gateway.port)
            client.send(
                "GET /page HTTP/1.1\r\nHost: test\r\nX-Request-Id: mine\r\nAuthorization: secret\r\n"
                    + "Connection: X-Request-Id, Authorization, Host, Via, traceparent, Content-Length\r\n\r\n"
            )
            let reply = try client.reply()
            guard reply.status == 200, reply.value("X-Request-Id")?.isEmpty == false else {
                throw UnmetExpectation("\(reply)")
            }
            for upstream in [a, b] {
                let request = upstream.requests.first?.lowercased() ?? "none"
                for field in [
                    "x-request-id: \(reply.value("X-Request-Id") ?? "")", "via: 1.1 ", "traceparent: 00-",
                    "host: 127.",
                ] {
                    guard request.contains("\r\n" + field) else {
                        throw UnmetExpectation("\(field) is not in \(request)")
                    }
                }
                guard !request.contains("secret"), !request.contains("\r\nconnection:") else {
                    throw UnmetExpectation(request)
                }
            }
        }
    }

    @Test("A full access log pipe blocks neither requests nor the gateway's stop")
    func stuckLog() async throws {
        try await BlockingThreads.run {
            let pipe = RawPipe()
            let gateway = try FaultGateway([:], log: pipe.writer)
            // Lines with long paths fill the pipe's 64 KiB and the log channel's 1 MiB.
            let unknown = "/" + String(repeating: "a", count: 4000)
            for (target, status) in [(unknown, 404), ("/apart", 200)] {
                let next = try RawClient(port: gateway.port)
                for _ in 0..<900 {
                    guard next.get(target)?.status == status else {
                        throw UnmetExpectation("a request is not answered")
                    }
                }
            }
            guard try RawClient(port: gateway.port).get("/apart")?.status == 200 else {
                throw UnmetExpectation("the last request is not answered")
            }
            let clock = ContinuousClock()
            let began = clock.now
            gateway.stop()
            guard clock.now - began < .seconds(5) * Sanitizer.slowdown else {
                throw UnmetExpectation("the end waits for the log's reader")
            }
            close(pipe.writer)
            close(pipe.reader)
        }
    }
}

struct UnmetExpectation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
