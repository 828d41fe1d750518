import Dispatch
import EventIO
import HTTPModel
import Locking
import Networking
import NetworkingSession
import Rx
import RxBlocking
import TestSupport
import Testing

/// Tests sessions that handlers use on an event loop, which must never wait for another loop.
@Suite("Sessions used on a loop", .timeLimit(.minutes(1)))
struct SessionOnLoopTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    private func withLoops(_ count: Int, _ body: ([EventLoop]) async throws -> Void) async throws {
        let group = try EventLoopGroup(count: count, name: "handlers")
        let result: Result<Void, any Error>
        do { result = .success(try await body(group.loops)) } catch { result = .failure(error) }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                group.shutdown()
                continuation.resume()
            }
        }
        try result.get()
    }

    @Test("A blocking call in a callback fails and sends nothing, and the time limits of other calls hold")
    func blockingInCallback() async throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .awaitEnd], [.readRequest, .send(Self.ok), .awaitEnd])
        defer { upstream.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<Anything>(session: session, policy: .patient)
        let base = "http://127.0.0.1:\(upstream.port)"
        let slow = HTTPRequest(url: base + "/slow").setTimeout(.milliseconds(300))
        async let late = session.rx.request(slow).asResult().value
        try await upstream.requestRead.wait()
        let target = Anything(baseURL: base)
        await #expect(throws: BlockedLoopError.self) {
            _ = try await provider.rx.request(target)
                .map { _ in try provider.rx.request(target).toBlocking().first() }
                .value
        }
        guard case .failure(let failure as NetworkError) = try await late else {
            Issue.record("the slow call did not fail")
            return
        }
        #expect(failure.reason == .responseTimeout)
        #expect(upstream.requests.count == 2)
    }

    @Test("A session can be created, used and closed on any loop")
    func lifeOnLoops() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        try await withLoops(3) { loops in
            for loop in loops {
                let session = try await loop.perform { try Session.patient(loops: 2) }
                let (before, call) = try await loop.perform {
                    (
                        session.report,
                        Provider<Anything>(session: session, policy: .patient).rx.request(target)
                    )
                }
                #expect(before == PoolReport())
                #expect(try await call.value.statusCode == 200)
                let opened = try await loop.perform { session.report.opened }
                #expect(opened == 1)
                let (after, again) = try await loop.perform {
                    session.close()
                    return (
                        session.report,
                        Provider<Anything>(session: session, policy: .patient).rx.request(target)
                    )
                }
                #expect(after == PoolReport())
                guard case .failure(let error as NetworkError) = try await again.asResult().value else {
                    Issue.record("a call of a closed session did not fail")
                    return
                }
                #expect(error.reason == .destinationUnavailable)
            }
        }
        upstream.stop()
    }

    @Test("A session has at least one loop, whatever its configuration says", arguments: [0, -1, Int.min])
    func noLoop(loops: Int) throws {
        let session = try Session.patient(loops: loops)
        #expect(session.report == PoolReport())
        session.close()
    }

    @Test("Closing a session on one of its own loops fails the calls of all its loops")
    func closedByItsOwnLoop() async throws {
        let arrived = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .fire(arrived), .awaitEnd])
        let session = try Session.patient(loops: 2)
        let provider = Provider<Anything>(session: session, policy: .patient)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        async let response = provider.rx.request(target).asResult().value
        try await arrived.wait()
        let loop = try #require(session.transport.scheduler as? EventLoop)
        let reports = try await loop.perform {
            let before = session.report
            session.close()
            return (before, session.report)
        }
        #expect(reports.0.leased == 1)
        #expect(reports.1 == PoolReport())
        guard case .failure(let error as NetworkError) = try await response else {
            Issue.record("the call did not fail")
            return
        }
        #expect(error.reason == .destinationUnavailable)
    }

    @Test("Session.shared may be used for the first time on a loop")
    func sharedSession() async {
        await #expect(processExitsWith: .success) {
            let upstream = try ScriptedUpstream([
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), .again,
            ])
            let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
            let group = try EventLoopGroup(count: 2, name: "handlers")
            let call = try await group.loops[0].perform { Provider<Anything>().rx.request(target) }
            #expect(try await call.value.statusCode == 200)
            let opened = try await group.loops[1].perform { Session.shared.report.opened }
            #expect(opened == 1)
            try await group.loops[1].perform { Session.shared.close() }
        }
    }
}
