import EventIO
import Foundation
import GatewayCore
import Glibc
import JSONBytes
import Locking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Metrics of the process, its loops, logs and reloads", .timeLimit(.minutes(1)))
struct ProcessValueTests {
    private func serve(
        errors: Int32 = STDERR_FILENO, configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        declare: (Gateway) -> Void = { $0.get("/quick") { _ in .json(1) } },
        _ body: (GatewayServer) throws -> Void
    ) throws {
        _ = try withLoggedGateway(stops: true, errors: errors, configure: configure, declare: declare, body)
    }

    /// Works until this thread has taken so much processor time.
    @Sendable private static func work(for time: Duration) {
        let end = ThreadClock.now + time
        while ThreadClock.now < end {}
    }

    // MARK: Loops

    @Test("A handler that works 50 ms is busy time, processor time and a long wake of its loop")
    func busyLoop() throws {
        try serve { _ in
        } declare: { gateway in
            gateway.get("/work") { _ in
                Self.work(for: .milliseconds(50))
                return .json(1)
            }
        } _: { server in
            let client = try RawClient(port: server.port)
            #expect(client.get("/nothing")?.status == 404)
            func values() throws -> (busy: Double, processor: Double, time: Double, long: Double) {
                func value(_ series: String) throws -> Double {
                    try #require(server.metric(series), "\(series)")
                }
                let wakes = "loop_wake_duration_seconds_"
                return (
                    try value(#"loop_busy_seconds_total{loop="sluice-0"}"#),
                    try value(#"loop_cpu_seconds_total{loop="sluice-0"}"#), try value(wakes + "sum"),
                    try value(wakes + "count") - value(wakes + #"bucket{le="0.025"}"#)
                )
            }
            let before = try values()
            #expect(client.get("/work")?.status == 200)
            // The end of the wake comes after the answer.
            try spin(while: try values().long < before.long + 1) { "no long wake" }
            let after = try values()
            #expect(after.busy - before.busy >= 0.05)
            #expect(after.processor - before.processor >= 0.05)
            #expect(after.time - before.time >= 0.05)
        }
    }

    // MARK: Names

    /// A name server that never answers.
    private final class SilentNameServer {
        private let descriptor: Int32
        let address: String

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] in
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            try #require(isBound)
            self.address = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        }

        deinit { close(descriptor) }
    }

    @Test("A lookup waits while another one takes the only place")
    func waitingLookup() throws {
        let names = try SilentNameServer()
        let limit = TimeAmount.milliseconds(Int64(500 * Sanitizer.slowdown))
        try serve {
            $0.dns.servers = [names.address]
            $0.dns.limits.lookups = 1
            $0.dns.limits.tries = 1
            $0.dns.limits.tryTimeout = limit
            $0.dns.limits.lookupTimeout = limit
            $0.upstreams = ["one": "http://one.test", "two": "http://two.test"]
        } declare: { gateway in
            for name in ["one", "two"] {
                let provider = gateway.provider(PartsAPI.self, upstream: name, policy: .single)
                gateway.get("/\(name)") { _ in .parts(first: provider.rx.request(.first).fragment()) }
            }
        } _: { server in
            let clients = try ["one", "two"].map { name in
                let client = try RawClient(port: server.port)
                client.begin("GET /\(name)")
                return client
            }
            try server.wait(for: "dns_waiting_lookups", toBe: 1)
            for client in clients { #expect((client.receive()?.status ?? 0) >= 500) }
            try server.wait(for: "dns_waiting_lookups", toBe: 0)
            #expect((server.metric(#"dns_lookups_total{result="timeout"}"#) ?? 0) >= 2)
        }
        withExtendedLifetime(names) {}
    }

    // MARK: Reloads

    @Test("A reload that fails is counted and told as the last one, with the time of the last success")
    func reloads() throws {
        let text = "version: 1\nendpoints:\n- {get: /a, parts: {is: {value: 1}}}\n"
        let began = Double(time(nil))
        let gateway = try FileGateway(text)
        defer { gateway.stop() }
        let server = gateway.server
        let success = "config_last_reload_success_timestamp_seconds"
        func values() -> [Double?] {
            [
                #"config_reloads_total{result="success"}"#, #"config_reloads_total{result="failure"}"#,
                "config_last_reload_successful", "config_generation",
            ].map { server.metric($0) }
        }
        #expect(values() == [0, 0, 1, 1])
        let first = try #require(server.metric(success))
        #expect(first >= began && first <= Double(time(nil)))
        for turn in 1...2 {
            #expect(!(try gateway.problems(of: text + "nothing: 1\n")).isEmpty)
            #expect(values() == [0, Double(turn), 0, 1])
            #expect(server.metric(success) == first)
        }
        // The next success comes in another second.
        try spin(while: Double(time(nil)) <= first) { "the clock stands still" }
        try gateway.reload(text + "# changed\n")
        #expect(values() == [1, 2, 1, 2])
        #expect((server.metric(success) ?? 0) > first)
    }

    // MARK: Logs

    @Test("A fault of an endpoint is counted by its route, with its message in the log")
    func faults() throws {
        struct Fault: Error {}
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        var messages: [[Double?]] = []
        try serve(errors: pipe.writer) { configuration in
            configuration.logLevel = .warning
        } declare: { gateway in
            gateway.get("/faulty") { _ in throw Fault() }
            gateway.get("/quick") { _ in .json(1) }
        } _: { server in
            func levels() -> [Double?] {
                ["error", "warning", "info", "debug"].map {
                    server.metric(#"log_messages_total{level="\#($0)"}"#)
                }
            }
            let faults = #"endpoint_faults_total{route="/faulty"}"#
            let client = try RawClient(port: server.port)
            #expect(client.get("/quick")?.status == 200)
            #expect(server.metric(faults) == nil)
            messages.append(levels())
            for turn in 1...2 {
                #expect(client.get("/faulty")?.status == 500)
                try server.wait(for: faults, toBe: Double(turn))
                messages.append(levels())
            }
            #expect(server.labels(after: "endpoint_faults_total{route") == ["/faulty"])
        }
        #expect(messages == [[0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0]])
        close(pipe.writer)
        #expect(pipe.readAll().split(separator: "\n").count { $0.contains("endpoint failed") } == 2)
    }

    @Test("Lines of either log are counted as dropped when nobody reads them")
    func droppedLines() throws {
        let pipe = RawPipe()
        defer { close(pipe.writer) }
        let gateway = try FileGateway(
            "version: 1\nendpoints:\n- {get: /a, parts: {is: {value: 1}}}\n", log: pipe.writer
        ) { $0.accessLog = true }
        defer { gateway.stop() }
        let server = gateway.server
        let (access, diagnostic) = (
            #"log_lines_dropped_total{stream="access"}"#, #"log_lines_dropped_total{stream="diagnostic"}"#
        )
        #expect(try gateway.get("/a").status == 200)
        // The line of the first request is there, so it is not dropped.
        #expect(try pipe.readSome().contains(#""path":"/a""#))
        #expect(server.metric(access) == 0)
        #expect(server.metric(diagnostic) == 0)
        close(pipe.reader)
        for _ in 0..<3 { #expect(try gateway.get("/a").status == 200) }
        try server.wait(for: access, toBe: 3)
        #expect(server.metric(diagnostic) == 0)
        server.logs.diagnostics.write(.error, "nobody reads this")
        try server.wait(for: diagnostic, toBe: 1)
        #expect(server.metric(access) == 3)
    }

    // MARK: The process

    @Test("The version is a label, and a drain is told until its end")
    func drain() throws {
        let held = HeldRequests()
        try serve {
            $0.version = "1.2.3"
        } declare: {
            held.declare(on: $0)
        } _: { server in
            #expect(server.metric(#"build_info{version="1.2.3"}"#) == 1)
            #expect(server.metric("draining") == 0)
            let clients = try held.begin(1, at: server)
            server.drain()
            try server.wait(for: "draining", toBe: 1)
            held.answer()
            #expect(clients[0].receive()?.status == 200)
        }
    }

    @Test("Ten more open files are ten more descriptors, and the limit is what getrlimit returns")
    func descriptors() throws {
        try serve { server in
            // Sockets of earlier tests may close meanwhile.
            func more() throws -> Double {
                let before = try #require(server.value(of: "process_open_fds"))
                let files = (0..<10).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
                defer { for file in files { close(file) } }
                return try #require(server.value(of: "process_open_fds")) - before
            }
            try spin(while: try more() != 10) { "\(try more()) more descriptors" }
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(server.value(of: "process_max_fds") == Double(limit.rlim_cur))
        }
    }

    @Test("The start of the process is what /proc says, and its processor time rises with its work")
    func times() throws {
        try serve { server in
            let stat = try String(contentsOfFile: "/proc/self/stat", encoding: .utf8)
            let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
            let ticks = try #require(Double(fields[20]))
            let boot = try String(contentsOfFile: "/proc/stat", encoding: .utf8).split(separator: "\n")
                .first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst("btime ".count)) }
            let started = try #require(boot) + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
            let told = try #require(server.value(of: "process_start_time_seconds"))
            // The kernel rounds the time of the boot to seconds.
            #expect(abs(told - started) <= 2, "\(told), not \(started)")
            let before = try #require(server.value(of: "process_cpu_seconds_total"))
            Self.work(for: .milliseconds(50))
            #expect((server.value(of: "process_cpu_seconds_total") ?? 0) >= before + 0.045)
            #expect((server.value(of: "process_resident_memory_bytes") ?? 0) > 1e6)
        }
    }
}
