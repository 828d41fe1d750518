internal import EventIO
internal import HTTPModel
internal import Resilience

/// Takes the place of a cancelled call on its connection, and drops the rest of the response, so that the
/// connection can serve another call.
///
/// A request that must not be cut keeps its own deadlines until it is written and its response begins.
/// Everything else has `OutboundLimits.drainTime`.
///
/// Unchecked, as `OutboundCall` is: it stays on its loop.
final class DrainedResponse: OutboundCall, @unchecked Sendable {
    private let longest: TimeAmount
    private let shared: SharedClientState
    private let mustNotBeCut: Bool
    /// Of a call whose request must not be cut. Empty after the end.
    private var held: [AnyObject] = []
    /// Bytes of the body that may still come.
    private var left: Int

    init(of call: OutboundCall, on connection: Connection, in pool: UpstreamPool) {
        let time = pool.limits.drainTime
        longest = TimeAmount(time)
        left = pool.limits.drainedBytes
        shared = pool.shared
        mustNotBeCut = !call.mayCut
        super.init(
            to: pool, mayResend: false, firstByteTimeout: time, readTimeout: time, total: longest,
            mayStream: true, decodesContent: false)
        state = .onConnection(connection)
        if connection.stream?.queuedByteCount ?? 0 > 0 { leftBody = call.countedBody }
        // The connection may still hold the body for a slow upstream.
        requestMemory = call.requestMemory
        timings.firstByte = call.timings.firstByte
        if !call.mayCut, connection.response.awaitsHead || connection.state.owesRequest {
            deadlines = call.deadlines
            if let total = call.uncutTotal { deadlines.setTotal(total, started: call.timings.started) }
            updateTimer()
        } else {
            entered(.receiving, now: loop.wakeTime)
        }
        guard mustNotBeCut else { return }
        held = call.heldWhileUncut
        shared.uncutCallBegan()
    }

    override func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery {
        // Times are counted from the creation.
        if mustNotBeCut, owesRequest { return .streamed(total: deadlines.end - timings.started) }
        return .streamed(total: loop.wakeTime + longest - timings.started)
    }

    override func bodyReceived(_ piece: UnsafeRawBufferPointer) {
        left -= piece.count
        if left < 0 { cancel() }
    }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        ended()
    }
    override func failed(_ reason: FailureReason, _ detail: String) { ended() }
    override func cancelled() { ended() }

    private func ended() {
        guard mustNotBeCut else { return }
        held = []
        shared.uncutCallEnded()
    }
}
