import EventIO
import Foundation
import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

@Suite("Metrics of upstreams", .timeLimit(.minutes(1)))
struct UpstreamMetricsTests {
    private struct ComputedAPI: TargetType {
        let port: UInt16

        var baseURL: String { "http://127.0.0.1:\(port)" }
        var path: RequestPath { "/" }
    }

    private static let bad = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"

    private func attempts(_ reason: String) -> String {
        #"upstream_attempts_total{upstream="parts",status="",reason="\#(reason)"}"#
    }

    @Test("An attempt that a closed port refuses is counted as connection_refused")
    func refusedConnection() throws {
        let upstream = try ScriptedUpstream(.closed, [[]])
        defer { upstream.stop() }
        try withMeteredUpstream(upstream.port) { server in
            #expect(server.metric(attempts("connection_refused")) == nil)
            #expect(try RawClient(port: server.port).get("/page")?.status == 502)
            try server.wait(for: attempts("connection_refused"), toBe: 1)
            #expect(server.metric(#"upstream_attempt_duration_seconds_count{upstream="parts"}"#) == 1)
            #expect(
                server.metric(#"upstream_attempts_total{upstream="parts",status="2xx",reason=""}"#) == 0)
        }
    }

    @Test("An attempt whose client leaves is counted as cancelled")
    func cancelled() throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer { upstream.stop() }
        try withMeteredUpstream(upstream.port) { server in
            let client = try RawClient(port: server.port)
            client.begin("GET /page")
            try upstream.requestRead.waitBlocking()
            #expect(server.metric(attempts("cancelled")) == nil)
            client.reset()
            try server.wait(for: attempts("cancelled"), toBe: 1)
        }
    }

    @Test("Of two calls and one connection, one call waits; how long it waited is counted")
    func poolWait() throws {
        let go = Signal()
        let upstream = try ScriptedUpstream.waiting(for: go)
        defer { upstream.stop() }
        try withMeteredUpstream(upstream.port) {
            $0.outbound.connectionsPerUpstream = 1
        } _: { server in
            let clock = ContinuousClock()
            let began = clock.now
            let clients = try (0..<2).map { _ in
                let client = try RawClient(port: server.port)
                client.begin("GET /page")
                return client
            }
            try server.wait(for: #"upstream_waiting_calls{upstream="parts"}"#, toBe: 1)
            let seen = clock.now
            #expect(server.metric(#"upstream_calls_in_flight{upstream="parts"}"#) == 2)
            #expect(server.metric(#"upstream_connections{upstream="parts",state="leased"}"#) == 1)
            #expect(server.metric(#"upstream_connections{upstream="parts",state="relay"}"#) == 0)
            let least = (clock.now - seen) / .seconds(1)
            for _ in clients { go.fire() }
            for client in clients { #expect(client.receive()?.status == 200) }
            let most = (clock.now - began) / .seconds(1)
            try server.wait(for: #"upstream_calls_in_flight{upstream="parts"}"#, toBe: 0)
            #expect(server.metric(#"upstream_waiting_calls{upstream="parts"}"#) == 0)
            #expect(server.metric(#"upstream_connections{upstream="parts",state="leased"}"#) == 0)
            #expect(server.metric(#"upstream_connections{upstream="parts",state="idle"}"#) == 1)
            let wait = #"upstream_pool_wait_seconds_"#
            #expect(server.metric(#"\#(wait)count{upstream="parts"}"#) == 2)
            let sum = try #require(server.metric(#"\#(wait)sum{upstream="parts"}"#))
            #expect((least...2 * most).contains(sum), "\(sum) s, not \(least) to \(2 * most)")
        }
    }

    @Test("A call that gets no connection in time counts as connection_limit_reached, not as an attempt")
    func noConnection() throws {
        let go = Signal()
        let upstream = try ScriptedUpstream.waiting(for: go)
        defer { upstream.stop() }
        try withMeteredUpstream(upstream.port) {
            $0.outbound.connectionsPerUpstream = 1
            $0.outbound.waitTimeout = .milliseconds(50)
        } _: { server in
            let reason = "connection_limit_reached"
            let refused = #"upstream_refused_total{upstream="parts",reason="\#(reason)"}"#
            #expect(server.metric(refused) == 0)
            let first = try RawClient(port: server.port)
            first.begin("GET /page")
            try upstream.requestRead.waitBlocking()
            let second = try #require(try RawClient(port: server.port).get("/page"))
            #expect(second.text.contains(reason))
            try server.wait(for: refused, toBe: 1)
            #expect(server.metric(attempts(reason)) == nil)
            #expect((server.metric(#"upstream_pool_wait_seconds_sum{upstream="parts"}"#) ?? 0) >= 0.05)
            go.fire()
            #expect(first.receive()?.status == 200)
        }
    }

    /// Why a call that failed is not sent again.
    enum Rule: String, CaseIterable {
        case budget, deadline, reason
    }

    @Test("A call that is not sent again is counted by the rule that keeps it", arguments: Rule.allCases)
    func notRetried(_ rule: Rule) throws {
        let bad =
            rule == .deadline
            ? Self.bad.replacing("\r\n\r\n", with: "\r\nRetry-After: 3600\r\n\r\n") : Self.bad
        let upstream = try ScriptedUpstream(
            rule == .reason ? [.readRequest, .awaitEnd] : [.answer { _ in bad }])
        defer { upstream.stop() }
        var call = CallPolicy()
        if rule == .reason { call.attemptLimits.firstByte = .milliseconds(50) }
        try withMeteredUpstream(upstream.port, call: call) {
            if rule == .budget { $0.retryBudget = RetryBudget(floor: 0, percentage: 0) }
        } _: { server in
            let client = try RawClient(port: server.port)
            for turn in 1...2 {
                #expect((client.get("/page")?.status ?? 0) >= 500)
                let series = #"upstream_not_retried_total{upstream="parts",rule="\#(rule)"}"#
                try server.wait(for: series, toBe: Double(turn))
            }
            #expect(server.labels(after: #"upstream_not_retried_total{upstream="parts",rule"#) == ["\(rule)"])
            #expect(server.metric(#"upstream_retries_total{upstream="parts"}"#) == 0)
        }
    }

    @Test("The state of a circuit is 0 while closed, 2 while open and 1 while a probe is under way")
    func circuit() throws {
        enum Mode { case answers, fails, holds }
        let mode = Lock(Mode.answers)
        let probes = Signal()
        let go = Signal()
        let upstream = try ScriptedUpstream([
            .answer { _ in
                switch mode.withLock({ $0 }) {
                case .answers: return ScriptedUpstream.one
                case .fails: return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
                case .holds:
                    probes.fire()
                    return (try? go.waitBlocking()) != nil ? ScriptedUpstream.one : ""
                }
            }
        ])
        defer { upstream.stop() }
        try withMeteredUpstream(upstream.port, configure: { $0.limits.deadline = .seconds(300) }) {
            $0.breaker?.minimumCalls = 10
            $0.breaker?.open = .milliseconds(300)
            $0.breaker?.maxOpen = .milliseconds(300)
            $0.breaker?.probes = 1
        } _: { server in
            let state = #"upstream_circuit_state{upstream="parts"}"#
            let openings = #"upstream_circuit_openings_total{upstream="parts"}"#
            let client = try RawClient(port: server.port)
            #expect(client.get("/page")?.status == 200)
            #expect(server.metric(state) == 0)
            #expect(server.metric(openings) == 0)
            mode.withLock { $0 = .fails }
            // Later calls are refused, or are probes that fail.
            for _ in 0..<20 where server.metric(openings) == 0 { _ = client.get("/page") }
            #expect(server.metric(state) == 2)
            #expect(server.metric(openings) == 1)
            mode.withLock { $0 = .holds }
            var clients: [RawClient] = []
            func isRefused() throws -> Bool {
                if probes.count > 0 { return false }
                if server.settled.requests == 0 {
                    clients.append(try RawClient(port: server.port))
                    clients.last?.begin("GET /page")
                }
                return true
            }
            try spin(while: try isRefused()) { "no probe after \(clients.count) calls" }
            #expect(server.metric(state) == 1)
            mode.withLock { $0 = .answers }
            go.fire()
            try server.wait(for: state, toBe: 0)
            #expect(server.metric(openings) == 1)
            let refused = server.metric(#"upstream_refused_total{upstream="parts",reason="circuit_open"}"#)
            #expect(refused.map { $0 < Double(clients.count) } == true)
        }
    }

    @Test("A client certificate has the date at which it expires, also after a reload of another one")
    func clientCertificate() throws {
        let folder = ScratchFolder()
        /// Writes a certificate for this many days. Returns when it may expire, as issuing takes a moment.
        func write(days: Int) throws -> ClosedRange<Double> {
            let before = Date().timeIntervalSince1970.rounded(.down)
            let identity = TestAuthority.shared.issue(days: -1...days)
            let after = Date().timeIntervalSince1970.rounded(.up)
            for (name, text) in [("cert", identity.certificate), ("key", identity.key)] {
                try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
            }
            return (before + Double(days) * 86_400)...(after + Double(days) * 86_400)
        }
        let first = try write(days: 12)
        try withMeteredUpstream(1) { configuration in
            var own = TLSConfiguration()
            own.identity = TLSConfiguration.Identity(
                certificateChain: .file(folder.file("cert")), privateKey: .file(folder.file("key")))
            configuration.connections.tlsByUpstream["parts"] = own
            configuration.upstreams = ["parts": "https://127.0.0.1:1"]
        } _: { server in
            let series = #"certificate_expiry_timestamp_seconds{upstream="parts",kind="client"}"#
            #expect(server.metric(series).map { first.contains($0) } == true)
            let second = try write(days: 40)
            try server.reloadCertificates()
            #expect(server.metric(series).map { second.contains($0) } == true)
        }
    }

    @Test("An upstream whose targets compute the address has its name, and targets of redirects are _other")
    func others() throws {
        let target = try ScriptedUpstream([.answer { _ in ScriptedUpstream.one }])
        let redirecting = try ScriptedUpstream([
            .answer { [port = target.port] _ in
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(port)/x\r\nContent-Length: 0\r\n\r\n"
            }
        ])
        defer {
            target.stop()
            redirecting.stop()
        }
        _ = try withLoggedGateway(stops: true) {
            $0.upstreams = ["parts": "http://127.0.0.1:\(redirecting.port)"]
        } declare: { gateway in
            var policy = CallPolicy.single
            policy.redirects = RedirectPolicy(maximum: 1, hosts: ["127.0.0.1:\(target.port)"])
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/redirected") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            let computed = gateway.provider(ComputedAPI.self, upstream: "computed", policy: .single)
            gateway.get("/computed") { [port = target.port] _ in
                .parts(first: computed.rx.request(ComputedAPI(port: port)).fragment())
            }
        } _: { server in
            func count(_ upstream: String, _ status: String) -> Double? {
                server.metric(
                    #"upstream_attempts_total{upstream="\#(upstream)",status="\#(status)",reason=""}"#)
            }
            let client = try RawClient(port: server.port)
            #expect(client.get("/redirected")?.status == 200)
            try spin(while: count("_other", "2xx") != 1) { "\(server.metricLines)" }
            #expect(count("parts", "3xx") == 1)
            #expect(count("parts", "2xx") == 0)
            #expect(client.get("/computed")?.status == 200)
            try spin(while: count("computed", "2xx") != 1) { "\(server.metricLines)" }
            #expect(count("_other", "2xx") == 1)
            #expect(server.metric(#"upstream_connections_opened_total{upstream="_other"}"#) == 1)
            #expect(server.metric(#"upstream_connections_opened_total{upstream="computed"}"#) == 1)
            for line in server.metricLines { #expect(!line.contains("127.0.0.1"), "\(line)") }
        }
    }
}
