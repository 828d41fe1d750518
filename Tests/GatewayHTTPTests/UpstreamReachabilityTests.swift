import EventIO
import GatewayCore
import Glibc
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Checks when the log reports an upstream as unreachable and as back. Time is virtual.
@Suite("Reachability of upstreams")
struct UpstreamReachabilityTests {
    /// Returns the lines for one upstream. Each second has an event: `x` is a call that cannot connect, `.`
    /// an answered call, `-` nothing.
    private func lines(_ events: String) -> [String] {
        var reachability = UpstreamReachability()
        var lines: [String] = []
        for (second, event) in events.enumerated() {
            let now = MonotonicTime(nanoseconds: 0) + .seconds(Int64(1000 + second))
            let line: UpstreamReachability.Line?
            switch event {
            case "x": line = reachability.callFailed(now: now)
            case ".": line = reachability.callAnswered(now: now)
            default: line = nil
            }
            switch line {
            case .unreachable: lines.append("\(second) unreachable")
            case .back(let absence):
                lines.append("\(second) back after \(absence.nanoseconds / 1_000_000_000)")
            case nil: break
            }
        }
        return lines
    }

    @Test("The first failure is logged; the failures that follow are not")
    func failures() {
        #expect(lines("..xxxxx" + String(repeating: "x", count: 200)) == ["2 unreachable"])
    }

    @Test("An answer within the same minute is logged after the minute, with the duration of the absence")
    func backWithinTheMinute() {
        let quiet = String(repeating: ".", count: 70)
        #expect(lines("xxxxx" + quiet) == ["0 unreachable", "60 back after 5"])
    }

    @Test("An answer after the minute is logged at once")
    func backAfterTheMinute() {
        #expect(
            lines("x" + String(repeating: "-", count: 99) + "..") == ["0 unreachable", "100 back after 100"])
    }

    @Test("An upstream that comes and goes is logged at most once a minute, and only on a change")
    func flapping() {
        let minute = String(repeating: "x.", count: 30)
        // A call fails at the end of each minute, so the logged state does not change.
        #expect(lines(minute + minute + "x") == ["0 unreachable", "61 back after 1"])
        // It becomes unreachable again within a minute of the line and stays unreachable.
        let away = String(repeating: "x", count: 70)
        #expect(
            lines("x" + String(repeating: "-", count: 60) + "." + away) == [
                "0 unreachable", "61 back after 61", "121 unreachable",
            ])
    }

    @Test("Only an answer that can change the state is observed")
    func nextAnswer() {
        var reachability = UpstreamReachability()
        let start = MonotonicTime(nanoseconds: 0) + .seconds(1000)
        #expect(reachability.nextAnswer == nil)
        _ = reachability.callFailed(now: start)
        #expect(reachability.nextAnswer.map { $0 <= start } == true)
        _ = reachability.callAnswered(now: start + .seconds(1))
        #expect(reachability.nextAnswer == start + .seconds(60))
        _ = reachability.callAnswered(now: start + .seconds(60))
        #expect(reachability.nextAnswer == nil)
    }

    /// A clock that only the test advances.
    private final class Clock: Sendable {
        private let time = Lock(MonotonicTime(nanoseconds: 1_000_000_000))

        var now: MonotonicTime { time.withLock { $0 } }

        func advance(by amount: TimeAmount) { time.withLock { $0 = $0 + amount } }
    }

    /// Serves `/page`, one call without retries, and returns the messages.
    private func messages(
        _ upstream: ScriptedUpstream, host: String = "127.0.0.1", nameServers: [String] = [], clock: Clock,
        level: LogLevel = .warning, _ body: (RawClient) throws -> Void
    ) throws -> [JSONFragment] {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let writer = LogWriter(descriptor: pipe.writer)
        let log = UpstreamLog(Log(level: level, writer: writer), clock: { clock.now })
        _ = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://\(host):\(upstream.port)/hidden"]
            configuration.dns.servers = nameServers
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry = .never
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } upstreamLog: {
            log
        } _: { server in
            try body(RawClient(port: server.port))
        }
        writer.close()
        close(pipe.writer)
        return try pipe.readAll().split(separator: "\n").map {
            try JSONFragment(validating: Array($0.utf8)[...])
        }
    }

    @Test(
        "An upstream that stops listening is logged once, and once more when it answers again"
    )
    func sockets() throws {
        let upstream = try ScriptedUpstream(
            .closed, [[.answer { _ in "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n" }]])
        defer { upstream.stop() }
        let clock = Clock()
        let messages = try messages(upstream, clock: clock) { client in
            func ask() {
                client.send("GET /page?key=hidden HTTP/1.1\r\nHost: test\r\nAuthorization: hidden\r\n\r\n")
                #expect(client.receive()?.status == 502)
            }
            for _ in 0..<3 { ask() }
            upstream.open()
            clock.advance(by: .seconds(61))
            for _ in 0..<3 { ask() }
        }
        #expect(messages.map { $0[member: "level"]?.stringValue } == ["warning", "warning"])
        #expect(
            messages.map { $0[member: "message"]?.stringValue } == [
                "upstream unreachable", "upstream is back",
            ])
        #expect(messages.map { $0[member: "upstream"]?.stringValue } == ["parts", "parts"])
        #expect(messages.first?[member: "reason"]?.stringValue == "connection_refused")
        #expect(messages.first?[member: "address"]?.stringValue == "127.0.0.1:\(upstream.port)")
        #expect(messages.last?[member: "unreachableMs"]?.intValue == 61000)
        #expect(!messages.contains { $0.description.contains("hidden") })
    }

    @Test(
        "The log says why a name without usable addresses is not called, and nothing connects to them",
        .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"))
    func unusableAddresses() throws {
        let server = try DNSServer(["sink.test": DNSServer.Name(["0.0.0.0"])])
        // Linux would connect 0.0.0.0 to it.
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" }
        ])
        defer { upstream.stop() }
        let messages = try messages(
            upstream, host: "sink.test", nameServers: [server.address], clock: Clock()
        ) { client in
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.receive()?.status == 502)
        }
        #expect(messages.first?[member: "reason"]?.stringValue == "dns_error")
        #expect(
            messages.first?[member: "detail"]?.stringValue
                == """
                resolve sink.test (0.0.0.0): the name has only unspecified, broadcast or multicast addresses
                """)
    }

    @Test(
        "Nor does anything connect to such an address in the URL",
        arguments: ["0.0.0.0", "[::]", "[::ffff:0.0.0.0]"])
    func unusableLiteral(host: String) throws {
        // Linux would connect the address to it.
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" }
        ])
        defer { upstream.stop() }
        let messages = try messages(upstream, host: host, clock: Clock()) { client in
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            let reply = client.receive()
            #expect(reply?.status == 502)
            #expect(reply?.value("Proxy-Status") == "sluice; error=dns_error; details=\"first\"")
        }
        #expect(messages.first?[member: "reason"]?.stringValue == "dns_error")
        #expect(upstream.connections == 0)
    }

    @Test("An upstream that answers with a failing status is still reachable")
    func statuses() throws {
        let upstream = try ScriptedUpstream(
            [.answer { _ in "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n" }])
        defer { upstream.stop() }
        let clock = Clock()
        let messages = try messages(upstream, clock: clock) { client in
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.receive()?.status == 503)
        }
        #expect(messages.isEmpty)
    }
}
