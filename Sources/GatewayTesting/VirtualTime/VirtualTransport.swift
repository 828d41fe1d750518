import Dispatch
import HTTPModel
import Locking
import Networking
import Rx

/// Carries the calls of a gateway in virtual time to the stubs of a test. Fails as connections do, with the same reasons
/// and at the same times.
final class VirtualTransport: Transport {
    private struct State: Sendable {
        var budgets: [Int: RetryBudget] = [:]
        var inFlight: [Int: Int] = [:]
    }

    let scheduler: any SchedulerType
    let fieldsWithoutContext: HTTPFields
    private let clock: VirtualClock
    private let upstreams: StubUpstreams
    private let unmatched: UnmatchedCalls.Log
    private let retryBudget: RetryBudget
    private let state = Lock(State())

    init(
        _ scheduler: VirtualScheduler, _ clock: VirtualClock, _ upstreams: StubUpstreams,
        _ unmatched: UnmatchedCalls.Log, name: GatewayName, retryBudget: RetryBudget
    ) {
        self.scheduler = scheduler
        self.clock = clock
        self.upstreams = upstreams
        self.unmatched = unmatched
        self.retryBudget = retryBudget
        fieldsWithoutContext = CallContext.fieldsWithoutContext(name)
    }

    /// The number of attempts that have not ended.
    var inFlight: Int { state.withLock { $0.inFlight.values.reduce(0, +) } }

    func send(
        _ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver
    ) -> any Disposable {
        let stub = upstreams[call.upstream.name]
        guard stub.fault != .refusesConnections else {
            return end(of: call, after: 0) {
                receiver.attemptFailed(TransportError(.connectionRefused, "the stub refuses connections"))
            } cancelled: {
            }
        }
        let body: ArraySlice<UInt8>
        do {
            body = try call.body.collect()
        } catch {
            return end(of: call, after: 0) {
                receiver.attemptFailed(TransportError(.requestError, "\(error)", underlying: error))
            } cancelled: {
            }
        }
        let request = StubUpstream.Request(
            upstream: call.upstream.name, method: call.method, path: call.path, query: call.query,
            fields: call.allFields, bytes: body)
        let (index, answer) = stub.answer(to: request, unmatched)
        let abandoned: @Sendable () -> Void = { stub.record.abandoned(index) }
        call.timeline?.attemptUsed(.new, sent: 0, firstByte: nil)

        let delay = answer.isEndless ? .max : max(answer.delay.nanoseconds, 0)
        let firstByte = call.limits.firstByte.nanoseconds
        let total = Self.nanoseconds(limit)
        guard delay < min(firstByte, total) else {
            return end(of: call, after: min(firstByte, total)) {
                abandoned()
                receiver.attemptFailed(
                    firstByte < total
                        ? TransportError(.connectionReadTimeout, "the stub did not answer in time")
                        : TransportError(.responseTimeout, "the stub did not answer in time"))
            } cancelled: {
                abandoned()
            }
        }
        return end(of: call, after: delay) {
            Self.deliver(answer, after: delay, of: call, to: receiver)
        } cancelled: {
            abandoned()
        }
    }

    /// Ends an attempt later, never at once, so that calls of one moment are in flight together.
    private func end(
        of call: TransportCall, after delay: Int64, _ work: @escaping @Sendable () -> Void,
        cancelled: @escaping @Sendable () -> Void
    ) -> any Disposable {
        let hasEnded = Lock(false)
        let id = call.upstream.id
        state.withLock { $0.inFlight[id, default: 0] += 1 }
        let endOnce: @Sendable () -> Bool = { [self] in
            guard
                hasEnded.withLock({ hasEnded in
                    defer { hasEnded = true }
                    return !hasEnded
                })
            else { return false }
            state.withLock { $0.inFlight[id, default: 1] -= 1 }
            return true
        }
        let timer = clock.schedule(after: delay) {
            if endOnce() { work() }
            return Disposables.create()
        }
        return Disposables.create {
            timer.dispose()
            if endOnce() { cancelled() }
        }
    }

    // MARK: - Delivery

    private static func deliver(
        _ answer: StubUpstream.Answer, after delay: Int64, of call: TransportCall,
        to receiver: any AttemptReceiver
    ) {
        switch answer.content {
        case .hangs: break
        case .resets:
            receiver.attemptFailed(TransportError(.connectionTerminated, "the stub reset the connection"))
        case .response(let response):
            call.timeline?.attemptUsed(.new, sent: 0, firstByte: delay)
            let body = Array(response.body.joined())[...]
            deliver(response, body, of: call, to: receiver)
        case .truncated(let response):
            call.timeline?.attemptUsed(.new, sent: 0, firstByte: delay)
            let (announced, sent) = response.truncatedBody
            if let streaming = receiver.streaming {
                begin(response.withLength(announced), sent, of: announced, call, streaming)
            }
            receiver.attemptFailed(
                TransportError(
                    .responseIncomplete,
                    "the stub closed the connection after \(sent.count) of \(announced) bytes"))
        }
    }

    private static func deliver(
        _ response: HTTPResponse, _ body: ArraySlice<UInt8>, of call: TransportCall,
        to receiver: any AttemptReceiver
    ) {
        let hasBody = call.method != .head && !response.status.forbidsBody
        let response = receiver.streaming == nil ? response : response.withLength(body.count)
        var whole = TransportResponse(
            status: response.status, fields: response.fields, body: hasBody ? body : [])
        if let streaming = receiver.streaming,
            begin(response, whole.body, of: whole.body.count, call, streaming) != .whole
        {
            whole.body = []
        }
        receiver.attemptSucceeded(whole)
    }

    /// Delivers a head, and as much of the body as came. Files are not written.
    @discardableResult
    private static func begin(
        _ response: HTTPResponse, _ body: ArraySlice<UInt8>, of total: Int, _ call: TransportCall,
        _ streaming: any StreamingAttemptReceiver
    ) -> BodyForm {
        if !call.body.isNone { streaming.attemptSent(call.body.length ?? 0, of: call.body.length) }
        let form = streaming.attemptStarted(
            TransportResponse(status: response.status, fields: response.fields), flow: NoFlow())
        guard !body.isEmpty else { return form }
        if form == .pieces { body.withUnsafeBytes { streaming.attemptReceived($0) } }
        streaming.attemptReceived(Int64(body.count), of: Int64(total))
        return form
    }

    private final class NoFlow: FlowControl {
        func pause() {}
        func resume() {}
    }

    private static func nanoseconds(_ limit: RxTimeInterval) -> Int64 {
        if case .nanoseconds(let count) = limit { return Int64(count) }
        return .max
    }

    // MARK: - Retries

    func beginRetry(to upstream: Upstream) -> RetryObstacle? {
        let isGranted = state.withLock { state in
            state.budgets[upstream.id, default: retryBudget].beginRetry(
                callsInFlight: state.inFlight[upstream.id] ?? 0)
        }
        return isGranted ? nil : .budget
    }

    func endRetry(to upstream: Upstream) {
        state.withLock { $0.budgets[upstream.id, default: retryBudget].endRetry() }
    }
}

extension StubUpstream.Answer {
    fileprivate var isEndless: Bool { if case .hangs = content { true } else { false } }
}

extension HTTPResponse {
    /// The response as a server frames it.
    fileprivate func withLength(_ count: Int) -> HTTPResponse {
        guard !status.forbidsBody, !fields.contains(.contentLength) else { return self }
        var response = self
        response.fields.append(.contentLength, "\(count)")
        return response
    }
}
