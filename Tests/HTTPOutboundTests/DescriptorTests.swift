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
        let client = HTTPClient(loop: loop, limits: .patient) { error in
            reports.withLock { $0.append(error) }
        }
        // Lower than the descriptors that are open, which stay open.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let usual = limit.rlim_cur
        limit.rlim_cur = 3
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
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
        // At the end of the process the leak sanitizer needs some.
        limit.rlim_cur = usual
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    }
}
