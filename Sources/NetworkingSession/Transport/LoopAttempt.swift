import EventIO
import HTTPModel
import HTTPOutbound
@_spi(Records) import Networking
import Resilience

/// One attempt of a call over HTTP. This class reports only its end.
///
/// Unchecked like `OutboundCall`: all state is used only on the loop.
class LoopAttempt: OutboundCall, @unchecked Sendable {
    final let call: TransportCall
    // Nil after the end, which is reported once.
    final var receiver: (any AttemptReceiver)?
    final var permit: AttemptPermit
    private final let counts: UpstreamCounts
    /// The number of its span in the request's trace; 0 if that is not sampled.
    private final let span: UInt16

    /// - Parameter streaming: the receiver, if it follows the attempt's progress.
    init(
        _ call: TransportCall, to upstream: borrowing UpstreamPool, within limit: TimeAmount,
        decodesContent: Bool, _ permit: consuming AttemptPermit, _ counts: UpstreamCounts,
        for receiver: any AttemptReceiver, streaming: (any StreamingAttemptReceiver)? = nil
    ) {
        self.call = call
        self.receiver = receiver
        self.permit = permit
        self.counts = counts
        span = call.isSampled ? call.takeSpan() : 0
        let limits = call.limits
        let isStreaming = streaming != nil
        super.init(
            to: upstream, mayResend: call.method.isIdempotent && !receiver.wasSentTwice,
            mayCut: call.method.isIdempotent, uncutTotal: call.uncutTotal, connectTimeout: limits.connect,
            writeTimeout: limits.write,
            firstByteTimeout: limits.firstByte, readTimeout: limits.silence, total: limit,
            pause: isStreaming && call.followsClient ? .never : nil,
            mayStream: isStreaming, wholeResponse: streaming?.takesWhole == true ? PassedResponse.whole : 0,
            decodesContent: decodesContent, isRelay: isStreaming && call.isOfRequest)
        if let memory = call.bodyMemory { requestMemory = memory }
    }

    /// Nobody waits for the client's own calls any more: their upstreams may stop working on them.
    override final var mayDrain: Bool { !call.isAbandoned }

    override final func writeRequest(to writer: RequestWriter) { writer.write(call, span: span) }

    override final var countedBody: AnyObject? { call.countedBody }

    override final var heldWhileUncut: [AnyObject] { permit.held(with: call) }

    override final func needsCharge(_ size: Int) -> Bool {
        size >= BodyMemory.counted || call.keep(size) > 0
    }

    override final func charge(_ size: Int, to memory: FairBudget.Share) -> Bool {
        size < BodyMemory.counted ? chargeKept(size, to: memory) : super.charge(size, to: memory)
    }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        guard let receiver = receiver.take() else { return }
        countEnd(head.status)
        if !permit.isEmpty {
            permit.attemptSucceeded(head.status, lacksBody: lacksBody, call, at: loop.wakeTime)
        }
        reportConnection(to: receiver)
        if hasRareParts { reportRareParts(to: receiver) }
        let began = loop.codeBegins()
        receiver.attemptSucceeded(TransportResponse(status: head.status, fields: head.fields, body: body))
        loop.codeEnded(began, of: codeName)
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        guard let receiver = receiver.take() else { return }
        counts.attemptFailed(reason, timings, address, at: loop.wakeTime)
        endPermit(reason)
        reportConnection(to: receiver)
        let began = loop.codeBegins()
        receiver.attemptFailed(error(reason, detail))
        loop.codeEnded(began, of: codeName)
    }

    /// Runs code of the receiver, which may be the endpoint's.
    @inline(__always)
    final func tellReceiver<Result>(_ code: () -> Result) -> Result {
        let began = loop.codeBegins()
        let result = code()
        loop.codeEnded(began, of: codeName)
        return result
    }

    /// What the receiver does, it does for this endpoint.
    private final var codeName: String { call.endpointName ?? "a call to \(call.upstream.name)" }

    /// Counts a response.
    @inline(__always)
    final func countEnd(_ status: HTTPStatus) {
        counts.attemptEnded(status, timings, at: loop.wakeTime)
        // Not above, where each success would count references of the address.
        if status.code >= 500 { counts.responseFailed(status, address, at: loop.wakeTime) }
    }

    /// That is a time-out if the time of the request is over and the upstream was silent.
    override final func cancelled() {
        let now = loop.wakeTime
        counts.attemptCancelled(timings, at: now)
        if call.isOverdue, !loop.areTimersLate, hasBeenSilent(at: now) {
            permit.attemptTimedOut(call, at: now)
        } else {
            permit.drop(call, at: now)
        }
    }

    /// A timeline shows the connection of an attempt in progress.
    override final func timingsChanged() {
        if call.isTimed { reportTimings() }
    }

    @inline(never)
    private final func reportTimings() { receiver?.attemptUsed(connection) }

    fileprivate final var connection: AttemptConnection {
        let started = timings.started
        return AttemptConnection(
            isReused: timings.isReusedConnection,
            assigned: timings.assigned.map { ($0 - started).nanoseconds },
            sent: timings.connected.map { ($0 - started).nanoseconds },
            firstByte: timings.firstByte.map { ($0 - started).nanoseconds }, span: span)
    }

    /// Reports, before the end, where the attempt went.
    @inline(__always)
    final func reportConnection(to receiver: any AttemptReceiver) {
        if let address { receiver.attemptReached(address) }
        receiver.attemptUsed(connection)
        if requestWasSentTwice { receiver.attemptWasSentTwice() }
    }
}

extension LoopAttempt: AddressedAttempt {
    final var knownAddress: PeerAddress? { loop.isCurrent ? address : nil }
    final var knownConnection: AttemptConnection? { loop.isCurrent ? connection : nil }
    final var isKnownUnsent: Bool { loop.isCurrent && !requestWasSent }
}

extension LoopAttempt {
    final var hasRareParts: Bool { requestWasCut || bodyCharge != nil }

    /// Reports what few responses have, before the response.
    ///
    /// Hands over the memory charge of a large body: the request keeps it until its answer is handed over,
    /// and of a call outside a request the receiver, until the response is delivered.
    @inline(never)
    final func reportRareParts(to receiver: any AttemptReceiver) {
        let charge = bodyCharge.take().map { HeldCharge($0, on: loop) }
        let isHeld = charge.map { call.hold($0) } ?? false
        if let parts = RareParts(requestWasCut: requestWasCut, charge: isHeld ? nil : charge) {
            (receiver as? any RarePartsReceiver)?.attemptHas(parts)
        }
    }

    /// Charges the small responses that the request keeps, with one of this size. Returns false if the memory
    /// for bodies is full.
    private func chargeKept(_ size: Int, to memory: FairBudget.Share) -> Bool {
        let bytes = call.keep(size)
        guard bytes > 0 else { return true }
        guard let charge = memory.charge(bytes) else { return false }
        call.holdKept(HeldCharge(charge, on: loop))
        return true
    }

    /// Reports the failure of this attempt, unless it says nothing about the upstream: the process stood
    /// still while the time passed, our side of a body had a pause, the upstream ended the connection while
    /// more of the request's body was missing on our side, or it was not silent for long when the time of the
    /// call was over.
    private func endPermit(_ reason: FailureReason) {
        let now = loop.wakeTime
        if lacksBody { return permit.drop(call, at: now) }
        if reason.isTimeout {
            let wasHeard = isOutOfTime(at: now) && !hasBeenSilent(at: now)
            if wasHeard || awaitsOwnSide || loop.areTimersLate { return permit.drop(call, at: now) }
        }
        permit.attemptFailed(reason, call, at: now)
    }

    /// Whether the upstream has been silent for half of the shortest limit.
    private func hasBeenSilent(at now: MonotonicTime) -> Bool {
        waitForUpstream(at: now).nanoseconds >= call.shortestLimit / 2
    }

    /// Returns the error of this attempt, with a summary if the reason's usual text would not be true.
    private func error(_ reason: FailureReason, _ detail: String) -> TransportError {
        let summary: String? =
            switch reason {
            case _ where earlyStatus != nil:
                "the upstream answered before it had the whole request, and the rest could not be sent"
            case .connectionReadTimeout where timings.firstByte != nil:
                "nothing more of the response for \(call.limits.silence.nanoseconds / 1_000_000) ms"
            case .connectionLimitReached where lacksDescriptors: "the process has no file descriptors left"
            default: nil
            }
        // At random, so that the clients do not come back together.
        let isOwnLimit = reason == .concurrencyLimit || reason == .memoryLimit
        let retryAfter: Duration? = isOwnLimit ? .seconds(Int.random(in: 1...3)) : nil
        var detail = detail
        if let earlyStatus { detail += ", after a response with status \(earlyStatus.code)" }
        if lacksBody { detail += ", while more of the request's body was awaited" }
        return TransportError(
            reason, detail, summary: summary, retryAfter: retryAfter, wasSent: requestWasSent,
            status: earlyStatus)
    }
}

extension TransportCall {
    /// The call's own time if its request must not be cut: the deadline of the client's request ends the wait
    /// for it, not the request.
    var uncutTotal: TimeAmount? { method.isIdempotent ? nil : TimeAmount(timeout) }
}

extension RequestWriter {
    func write(_ call: TransportCall, span: UInt16) {
        let shared = span == 0 ? call.contextFields : call.contextFields(of: span)
        if case .stream(let source) = call.body {
            if let arriving = source as? any ArrivingBody {
                return write(
                    call.method, target: call.target, fields: call.fields, sharedFields: shared,
                    stream: ArrivingOutboundBody(arriving))
            }
            return write(
                call.method, target: call.target, fields: call.fields, sharedFields: shared,
                stream: BlockingBody(source, expectsContinue: call.expectsContinue))
        }
        write(
            call.method, target: call.target, fields: call.fields, sharedFields: shared,
            body: call.body.inMemory)
    }
}

extension BlockingBody {
    fileprivate init(_ source: any BodySource, expectsContinue: Bool) {
        let files = source as? any FileBasedBody
        self.init(
            length: source.knownLength, canRestart: files?.isPipe != true, expectsContinue: expectsContinue,
            mayWait: files?.isStored != true
        ) { Reader(try source.open()) }
    }

    /// Used by one helper thread at a time.
    private final class Reader: BlockingReader {
        private let reader: any BodyReader

        init(_ reader: any BodyReader) { self.reader = reader }

        func read(atMost count: Int) throws -> ArraySlice<UInt8> { try reader.read(atMost: count) }
    }
}
