import EventIO
import Glibc
import HTTPModel
import Locking
import Rx
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Calls without descriptors", .timeLimit(.minutes(1)))
struct DescriptorTests {
    @Test(
        "A call that gets no descriptor waits for a connection of its upstream, or takes the place of an idle one",
        .enabled(if: PythonServer.isInstalled, "python3 is not installed: make setup"))
    func waits() async {
        // Runs in its own process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            try await DescriptorTests.runLowOnDescriptors()
        }
    }

    /// Makes many calls at once with few descriptors left, and then more calls with enough of them.
    private static func runLowOnDescriptors() async throws {
        let handler = """
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_GET(self):
                    self.send_response(200)
                    self.send_header("Content-Length", "2")
                    self.end_headers()
                    self.wfile.write(b"hi")
            """
        let (python, other) = (try PythonServer(handler), try PythonServer(handler))
        defer {
            python.stop()
            other.stop()
        }
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let client = HTTPClient(loop: loop, limits: .patient)
        guard let origin = Origin(host: "127.0.0.1", port: python.port),
            let otherOrigin = Origin(host: "127.0.0.1", port: other.port)
        else { preconditionFailure("no origin") }
        let (api, otherAPI) = try await loop.perform { (client.origin(origin), client.origin(otherOrigin)) }
        let limit = DescriptorLimit(leaving: 8)
        let calls = (0..<60).map { api.begin(OutboundRequest(target: "/\($0)")) }
        for call in calls {
            let result = try await call.end()
            precondition(result.text == "hi", "\(result)")
        }
        let report = try await loop.perform { client.report }
        precondition(report.idle <= 8 && report.leased == 0 && report.waiting == 0, "\(report)")
        // An idle connection to the first upstream is closed for the call to the other.
        let result = try await otherAPI.get()
        precondition(result.text == "hi", "\(result)")
        limit.restore()
        try await loop.perform { client.close() }
    }

    @Test("Without descriptors, calls fail with connection_limit_reached, reported at most once a second")
    func exhausted() async {
        // Runs in its own process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            try await DescriptorTests.runOutOfDescriptors()
        }
    }

    private static func runOutOfDescriptors() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let reports = Lock<[SocketError]>([])
        var limits = OutboundLimits.patient
        limits.waitTimeout = .milliseconds(200)
        let client = HTTPClient(loop: loop, limits: limits) { error in
            reports.withLock { $0.append(error) }
        }
        let limit = DescriptorLimit(3)
        guard let origin = Origin(host: "127.0.0.1", port: 1) else { preconditionFailure("no origin") }
        let start = MonotonicTime.clock()
        for _ in 0..<3 {
            let reason = Lock<FailureReason?>(nil)
            let done = Signal()
            loop.execute {
                _ = client.origin(origin).send(OutboundRequest(target: "/")).subscribe { result in
                    if case .failure(let error) = result {
                        reason.withLock { $0 = (error as? OutboundError)?.reason }
                    }
                    done.fire()
                }
            }
            try await done.wait()
            precondition(reason.withLock { $0 } == .connectionLimitReached)
        }
        let seconds = (MonotonicTime.clock() - start).nanoseconds / 1_000_000_000
        let told = reports.withLock { $0 }
        precondition(told.count >= 1 && told.count <= 1 + seconds, "reports: \(told)")
        precondition(told[0].code == EMFILE)
        limit.restore()
    }
}
