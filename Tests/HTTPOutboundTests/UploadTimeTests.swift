import Dispatch
import EventIO
import HTTPModel
import LoopScheduling
import Rx
import TestSupport
import Testing

@testable import HTTPOutbound

/// Tests the time limits of uploads, which may stay in the kernel's buffers long after the last write.
@Suite("Upload time limits", .timeLimit(.minutes(1)))
struct UploadTimeTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime { CallDeadlinesTests.after(milliseconds) }

    /// Returns the deadlines of a request that the kernel took at once.
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

    @Test("If the peer acknowledges nothing, the write limit applies")
    func nothingAcknowledged() {
        var deadlines = Self.awaiting()
        deadlines.deliveryChecked(Self.delivery(moved: false, complete: false), now: Self.at(5000))
        #expect(
            failure(deadlines, at: 5000)
                == "connection_write_timeout: no further byte of the request acknowledged for 5000 ms")
    }

    @Test(
        "While the peer acknowledges bytes the first-byte limit does not run; a stall hits the write limit"
    )
    func moving() {
        var deadlines = Self.awaiting()
        for second in [5, 10] {
            #expect(deadlines.needsDelivery(now: Self.at(second * 1000)))
            deadlines.deliveryChecked(
                Self.delivery(moved: true, complete: false), now: Self.at(second * 1000))
            #expect(failure(deadlines, at: second * 1000 - 1) == nil)
        }
        // The total limit would end the call first.
        #expect(failure(deadlines, at: 10_000) == "http_response_timeout: no whole response within 10000 ms")
        deadlines.setTotal(.seconds(60), started: Self.at(0))
        deadlines.deliveryChecked(Self.delivery(moved: false, complete: false), now: Self.at(15_000))
        #expect(failure(deadlines, at: 15_000)?.hasPrefix("connection_write_timeout") == true)
    }

    @Test("The first-byte limit starts when the last byte is sent to the peer, not when the kernel takes it")
    func complete() {
        var deadlines = Self.awaiting()
        deadlines.deliveryChecked(Self.delivery(moved: true, complete: true, sent: 4000), now: Self.at(5000))
        #expect(failure(deadlines, at: 8999) == nil)
        #expect(failure(deadlines, at: 9000) == "connection_read_timeout: no response within 5000 ms")

        deadlines = Self.awaiting()
        deadlines.deliveryChecked(Self.delivery(moved: true, complete: false), now: Self.at(5000))
        deadlines.setTotal(.seconds(60), started: Self.at(0))
        deadlines.deliveryChecked(
            Self.delivery(moved: true, complete: true, sent: 6000), now: Self.at(10_000))
        #expect(failure(deadlines, at: 10_999) == nil)
        #expect(failure(deadlines, at: 11_000) == "connection_read_timeout: no response within 5000 ms")
    }

    @Test("A request that the peer has fully acknowledged fails at the first-byte limit")
    func small() {
        for sent in [0, nil] {
            var deadlines = Self.awaiting()
            deadlines.deliveryChecked(
                Self.delivery(moved: true, complete: true, sent: sent), now: Self.at(5000))
            #expect(failure(deadlines, at: 5000) == "connection_read_timeout: no response within 5000 ms")
        }
    }

    // MARK: Over sockets

    private static let body = [UInt8](repeating: 0x61, count: 1 << 20)

    private static var put: OutboundRequest {
        OutboundRequest(method: .put, target: Array("/".utf8)[...], body: .bytes(body[...]))
    }

    @Test(
        "A slow upload may outlast the first-byte limit while the peer keeps reading",
        arguments: Wire.allCases)
    func slow(over wire: Wire) async throws {
        let pace = Signal()
        // The peer reads 64 KiB every 50 ms, so the upload takes three times the limit.
        let reading = (0..<15).flatMap { _ in [ScriptedUpstream.Step.read(64 << 10), .wait(pace)] }
        let upstream = try ScriptedUpstream(tls: wire.server, reading + [.send(CallTests.ok), .awaitEnd])
        var limits = OutboundLimits.patient
        limits.firstByteTimeout = .milliseconds(250)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let clock = Observable<Int>.interval(.milliseconds(50), scheduler: harness.loop)
                .subscribe(onNext: { _ in pace.fire() })
            let result = try await api.call(Self.put)
            clock.dispose()
            #expect(result.status == 200, "\(result)")
        }
        upstream.stop()
    }

    @Test(
        "If the peer stops reading, the upload fails at the write limit and not at the first-byte limit",
        arguments: Wire.allCases)
    func stalled(over wire: Wire) async throws {
        let upstream = try ScriptedUpstream(tls: wire.server, [.read(64 << 10), .wait(Signal())])
        var limits = OutboundLimits.patient
        limits.firstByteTimeout = .milliseconds(100)
        limits.writeTimeout = .milliseconds(100)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let failure = try await api.call(Self.put).failure
            #expect(failure?.reason == .connectionWriteTimeout, "\(String(describing: failure))")
        }
        upstream.stop()
    }
}
