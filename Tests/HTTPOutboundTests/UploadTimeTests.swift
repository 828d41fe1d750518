import Dispatch
import EventIO
import HTTPModel
import Rx
import TestSupport
import Testing

@testable import HTTPOutbound

/// A body may wait in the kernel's buffers for long after the kernel has taken its last byte.
@Suite("The time of an upload", .timeLimit(.minutes(1)))
struct UploadTimeTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime { CallDeadlinesTests.after(milliseconds) }

    /// A request that the kernel took whole at once.
    private static func awaiting() -> CallDeadlines {
        var deadlines = CallDeadlinesTests.deadlines()
        deadlines.reached(.awaitingResponse, now: at(0))
        return deadlines
    }

    private func failure(_ deadlines: CallDeadlines, at milliseconds: Int) -> String? {
        guard case .failed(let reason, let detail) = deadlines.verdict(now: Self.at(milliseconds)) else {
            return nil
        }
        return "\(reason): \(detail)"
    }

    private static func delivery(moved: Bool, complete: Bool, sent: Int? = nil) -> CallDeadlines.Delivery {
        CallDeadlines.Delivery(hasMoved: moved, isComplete: complete, lastSent: sent.map(at))
    }

    @Test("A request of which the peer acknowledges nothing is a write that stalled")
    func nothingAcknowledged() {
        var deadlines = Self.awaiting()
        deadlines.looked(at: Self.delivery(moved: false, complete: false), now: Self.at(5000))
        #expect(
            failure(deadlines, at: 5000)
                == "connection_write_timeout: no further byte of the request acknowledged for 5000 ms")
    }

    @Test(
        "While the peer acknowledges bytes the response is not due, and a stop in between is a write that stalled"
    )
    func moving() {
        var deadlines = Self.awaiting()
        for second in [5, 10] {
            #expect(deadlines.needsDelivery(now: Self.at(second * 1000)))
            deadlines.looked(at: Self.delivery(moved: true, complete: false), now: Self.at(second * 1000))
            #expect(failure(deadlines, at: second * 1000 - 1) == nil)
        }
        // The call's own end comes before.
        #expect(failure(deadlines, at: 10_000) == "http_response_timeout: no whole response within 10000 ms")
        deadlines.setTotal(.seconds(60), started: Self.at(0))
        deadlines.looked(at: Self.delivery(moved: false, complete: false), now: Self.at(15_000))
        #expect(failure(deadlines, at: 15_000)?.hasPrefix("connection_write_timeout") == true)
    }

    @Test("The first-byte clock starts when the last byte was sent, and not when the kernel took it")
    func complete() {
        var deadlines = Self.awaiting()
        deadlines.looked(at: Self.delivery(moved: true, complete: true, sent: 4000), now: Self.at(5000))
        #expect(failure(deadlines, at: 8999) == nil)
        #expect(failure(deadlines, at: 9000) == "connection_read_timeout: no response within 5000 ms")

        deadlines = Self.awaiting()
        deadlines.looked(at: Self.delivery(moved: true, complete: false), now: Self.at(5000))
        deadlines.setTotal(.seconds(60), started: Self.at(0))
        deadlines.looked(at: Self.delivery(moved: true, complete: true, sent: 6000), now: Self.at(10_000))
        #expect(failure(deadlines, at: 10_999) == nil)
        #expect(failure(deadlines, at: 11_000) == "connection_read_timeout: no response within 5000 ms")
    }

    @Test("A request that the peer has had all along fails at the first-byte limit")
    func small() {
        for sent in [0, nil] {
            var deadlines = Self.awaiting()
            deadlines.looked(at: Self.delivery(moved: true, complete: true, sent: sent), now: Self.at(5000))
            #expect(failure(deadlines, at: 5000) == "connection_read_timeout: no response within 5000 ms")
        }
    }

    // MARK: On the wire

    private static let body = [UInt8](repeating: 0x61, count: 1 << 20)

    private static var put: OutboundRequest {
        OutboundRequest(method: .put, target: Array("/".utf8)[...], body: .bytes(body[...]))
    }

    @Test(
        "A slow upload outlasts the first-byte limit as long as its peer takes bytes",
        arguments: Wire.allCases)
    func slow(over wire: Wire) async throws {
        let pace = Signal()
        // 64 KiB in each tenth of a second: three times the limit until the last byte.
        let reading = (0..<15).flatMap { _ in [ScriptedUpstream.Step.read(64 << 10), .wait(pace)] }
        let upstream = try ScriptedUpstream(tls: wire.server, reading + [.send(CallTests.ok), .awaitEnd])
        var limits = OutboundLimits.patient
        limits.firstByteTimeout = .milliseconds(500)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let clock = Observable<Int>.interval(.milliseconds(100), scheduler: harness.loop)
                .subscribe(onNext: { _ in pace.fire() })
            let result = await api.call(Self.put)
            clock.dispose()
            #expect(result.status == 200, "\(result)")
        }
        upstream.stop()
    }

    @Test("An upload whose peer stops is a write that stalled, not a read", arguments: Wire.allCases)
    func stalled(over wire: Wire) async throws {
        let upstream = try ScriptedUpstream(tls: wire.server, [.read(64 << 10), .wait(Signal())])
        var limits = OutboundLimits.patient
        limits.firstByteTimeout = .milliseconds(100)
        limits.writeTimeout = .milliseconds(100)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let failure = await api.call(Self.put).failure
            #expect(failure?.reason == .connectionWriteTimeout, "\(String(describing: failure))")
        }
        upstream.stop()
    }
}
