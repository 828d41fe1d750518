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

/// When the log says that an upstream is unreachable, and that it is back. Time is virtual but in the last tests.
@Suite("Upstreams that are unreachable and back")
struct UpstreamReachabilityTests {
    /// What happens to one upstream, second by second: `x` a call without a connection, `.` an answered one, `-` nothing.
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

    @Test("The first failure is told, and those that follow it are not")
    func failures() {
        #expect(lines("..xxxxx" + String(repeating: "x", count: 200)) == ["2 unreachable"])
    }

    @Test("An answer in the same minute is told when the minute is over, with the time of the absence itself")
    func backWithinTheMinute() {
        let quiet = String(repeating: ".", count: 70)
        #expect(lines("xxxxx" + quiet) == ["0 unreachable", "60 back after 5"])
    }

    @Test("An answer after the minute is told at once")
    func backAfterTheMinute() {
        #expect(
            lines("x" + String(repeating: "-", count: 99) + "..") == ["0 unreachable", "100 back after 100"])
    }

    @Test("An upstream that comes and goes has one line a minute, and none where it is as it was told to be")
    func flapping() {
        let minute = String(repeating: "x.", count: 30)
        // At the end of each minute a call fails: it is as it was told to be.
        #expect(lines(minute + minute + "x") == ["0 unreachable", "61 back after 1"])
        // It falls away again within the minute of the line that it is back, and stays away.
        let away = String(repeating: "x", count: 70)
        #expect(
            lines("x" + String(repeating: "-", count: 60) + "." + away) == [
                "0 unreachable", "61 back after 61", "121 unreachable",
            ])
    }

    @Test("Only an answer that changes something is looked at")
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

    /// Stands still until it is moved.
    private final class Clock: Sendable {
        private let time = Lock(MonotonicTime(nanoseconds: 1_000_000_000))

        var now: MonotonicTime { time.withLock { $0 } }

        func advance(by amount: TimeAmount) { time.withLock { $0 = $0 + amount } }
    }

    /// Serves `/page`, one call without retries, and gives the messages.
    private func messages(
        _ upstream: ScriptedUpstream, clock: Clock, level: LogLevel = .warning,
        _ body: (RawClient) throws -> Void
    ) throws -> [JSONFragment] {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let writer = LogWriter(descriptor: pipe.writer)
        let log = UpstreamLog(Log(level: level, writer: writer), clock: { clock.now })
        _ = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)/hidden"]
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
        "Over sockets: one line when nobody listens any more, one when an answer comes, and none for what stays"
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
        #expect(messages.last?[member: "unreachableMs"]?.stringValue == "61000")
        #expect(!messages.contains { $0.description.contains("hidden") })
    }

    @Test("An upstream that answers by failures of its own is not unreachable")
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
