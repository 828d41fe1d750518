import Dispatch
import HTTPModel
import Locking
public import Rx

/// Whether a provider responds to a call with its target's `sampleResponse` instead of sending it (Moya's
/// `StubBehavior`). Plugins, interceptors, validation, redirects, retries and time limits apply as to a real
/// call.
public enum StubBehavior: Sendable {
    /// Sends the call.
    case never
    /// Returns the sample at once.
    case immediate
    /// Returns the sample after a delay.
    ///
    /// - Parameter scheduler: measures the delay. Default nil: the scheduler of the provider's transport.
    case delayed(Duration, scheduler: (any SchedulerType)? = nil)
}

extension Provider {
    /// Chooses the stub behavior for a target.
    public typealias StubClosure = @Sendable (Target) -> StubBehavior

    /// Sends every call.
    public static var neverStub: StubClosure { { _ in .never } }

    /// Stubs every call without a delay.
    public static var immediatelyStub: StubClosure { { _ in .immediate } }

    /// Stubs every call with a delay.
    public static func delayedStub(
        _ delay: Duration, scheduler: (any SchedulerType)? = nil
    ) -> StubClosure {
        { _ in .delayed(delay, scheduler: scheduler) }
    }

    /// Returns the target's settings: the provider's own, or a copy with a transport that returns the sample.
    func settings(for target: Target) -> ProviderSettings {
        guard let stub else { return settings }
        let (delay, scheduler): (Duration, (any SchedulerType)?)
        switch stub(target) {
        case .never: return settings
        case .immediate: (delay, scheduler) = (.zero, nil)
        case .delayed(let time, let its): (delay, scheduler) = (time, its)
        }
        return settings.withTransport(
            SampleTransport(
                target.sampleResponse, after: delay, on: scheduler, replacing: settings.transport))
    }
}

extension SampleResponse {
    /// Delivers the sample to an attempt, as if it came over a new connection.
    ///
    /// - Parameters:
    ///   - receiver: the attempt.
    ///   - call: the attempt's call.
    ///   - delay: when it comes; nil for at once. After `limit` it is dropped, and the attempt fails with
    ///     `responseTimeout`.
    ///   - limit: the call's remaining time in nanoseconds.
    ///   - scheduler: measures both.
    ///   - ended: called once, before the receiver: whether the sample is delivered.
    package func deliver(
        to receiver: any AttemptReceiver, of call: TransportCall, after delay: Duration?,
        within limit: Int64, on scheduler: any SchedulerType,
        ended: @escaping @Sendable (_ isDelivered: Bool) -> Void = { _ in }
    ) -> any Disposable {
        let time = max(delay?.nanoseconds ?? 0, 0)
        if hasConnection {
            receiver.attemptUsed(AttemptConnection(isReused: false, assigned: 0, sent: 0, firstByte: nil))
        }
        let isOver = Lock(false)
        let endOnce: @Sendable (Bool) -> Bool = { isDelivered in
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst { ended(isDelivered) }
            return isFirst
        }
        let end: @Sendable () -> Void = {
            guard endOnce(time < limit) else { return }
            guard time < limit else {
                let message = "the answer comes after the limit"
                return receiver.attemptFailed(TransportError(.responseTimeout, message))
            }
            report(to: receiver, of: call, after: time)
        }
        guard delay != nil else {
            end()
            return Disposables.create()
        }
        let timer = scheduler.scheduleRelative((), dueTime: .nanoseconds(Int(min(time, limit)))) { _ in
            end()
            return Disposables.create()
        }
        return Disposables.create {
            timer.dispose()
            _ = endOnce(false)
        }
    }

    private func report(to receiver: any AttemptReceiver, of call: TransportCall, after time: Int64) {
        switch content {
        case .response(var response):
            receiver.attemptUsed(AttemptConnection(isReused: false, assigned: 0, sent: 0, firstByte: time))
            let body = response.body
            if let form = receiver.streaming?.started(response, of: call, length: body.count),
                form != .whole
            {
                response.body = []
            }
            receiver.attemptSucceeded(response)
        case .incomplete(let response, let length):
            receiver.attemptUsed(AttemptConnection(isReused: false, assigned: 0, sent: 0, firstByte: time))
            _ = receiver.streaming?.started(response, of: call, length: length)
            let message = "the connection was closed after \(response.body.count) of \(length) bytes"
            receiver.attemptFailed(TransportError(.responseIncomplete, message))
        case .failure(let error): receiver.attemptFailed(error)
        }
    }

    /// Whether the attempt has a connection before it ends.
    private var hasConnection: Bool {
        guard case .failure(let error) = content else { return true }
        return !Self.beforeConnecting.contains(error.reason)
    }

    private static let beforeConnecting: [FailureReason] = [
        .dnsError, .dnsTimeout, .destinationUnavailable, .connectionRefused, .connectionTimeout,
        .connectionLimitReached, .concurrencyLimit, .circuitOpen, .tlsProtocolError, .tlsCertificateError,
        .tlsAlertReceived,
    ]
}

extension StreamingAttemptReceiver {
    /// Reports a head and the bytes that come after it, in pieces of at most 1024 bytes if requested. Files
    /// are not written.
    fileprivate func started(_ response: TransportResponse, of call: TransportCall, length: Int) -> BodyForm {
        if !call.body.isNone { attemptSent(call.body.length ?? 0, of: call.body.length) }
        var head = response
        head.body = []
        let form = attemptStarted(head, flow: NoFlow())
        var received: Int64 = 0
        var rest = response.body
        while !rest.isEmpty {
            let piece = rest.prefix(1024)
            rest = rest.dropFirst(1024)
            received += Int64(piece.count)
            if form == .pieces { piece.withUnsafeBytes { attemptReceived($0) } }
            attemptReceived(received, of: Int64(length))
        }
        return form
    }
}

private final class NoFlow: FlowControl {
    func pause() {}
    func resume() {}
}
