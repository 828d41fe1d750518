import Locking

extension ObservableType {
    /// Subscribes to the source again when the stream that `notificationHandler` returns emits a value after
    /// an error. If that stream completes or fails, the result ends the same way. `notificationHandler` runs
    /// once for each subscription and receives the source's errors. A notification during an attempt is
    /// dropped, and the end of the notification stream takes effect at the next error.
    @inlinable
    @preconcurrency
    public consuming func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
    ) -> Observable<Element> {
        RetryWhen(asObservable()) { errors in
            Notifier(notificationHandler(errors).asObservable())
        } accepts: { _ in
            true
        }
    }

    /// Retries only after errors of type `Failure`, as the notification stream decides. Other errors end the
    /// stream at once.
    @inlinable
    @preconcurrency
    public consuming func retry<TriggerObservable: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
    ) -> Observable<Element> {
        RetryWhen(asObservable()) { errors in
            Notifier(notificationHandler(errors.compactMap { $0 as? Failure }).asObservable())
        } accepts: { error in
            error is Failure
        }
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class RetryWhen<Element: Sendable>: StartingOperator<Element>, NotifierTarget,
    @unchecked Sendable
{
    @usableFromInline typealias Handler = @Sendable (Observable<any Error>) -> Notifier

    private struct Answer {
        /// Whether an attempt has failed and the notification stream has not decided yet.
        var isAwaited = false
        /// How the notification stream ended, if it has.
        var end: Result<Void, any Error>?
    }

    private let handler: Handler
    private let accepts: @Sendable (any Error) -> Bool
    private let gate = SerialGate()
    private let errors = PublishSubject<any Error>()
    private let trigger = LinkSlot()
    private let starts = RerunLoop()
    private let answer = Lock(Answer())

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ handler: @escaping Handler,
        accepts: @escaping @Sendable (any Error) -> Bool
    ) {
        self.handler = handler
        self.accepts = accepts
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, handler, accepts: accepts)
    }

    override func sourceKept() {
        handler(errors).start(self) { trigger.set($0) }
        start()
    }

    private func start() {
        starts.run { startKept(isLast: false) }
    }

    override func stop(_ stops: inout DisposalStack) {
        trigger.close(&stops)
        super.stop(&stops)
    }

    override func next(_ value: Element) {
        gate.run(self, value) { me, value in me.pass(value) }
    }

    private func pass(_ value: Element) {
        if !upstream.isClosed { down.next(value) }
    }

    override func error(_ error: any Error) {
        guard accepts(error) else { return end(error) }
        guard !upstream.isClosed else { return }
        // Dispose the failed attempt before asking the notification stream.
        upstream.clear()
        let triggerEnd = answer.withLock { answer in
            answer.isAwaited = true
            return answer.end
        }
        if let triggerEnd { return finish(triggerEnd) }
        errors.onNext(error)
    }

    override func completed() {
        end(nil)
    }

    private func end(_ error: (any Error)?) {
        if gate.enter() {
            finish(error)
            gate.leave()
        } else {
            gate.park { self.finish(error) }
        }
    }

    private func finish(_ error: (any Error)?) {
        if let error { super.error(error) } else { super.completed() }
    }

    func notifierFired() {
        let isAsked = answer.withLock { answer in
            defer { answer.isAwaited = false }
            return answer.isAwaited
        }
        if isAsked { start() }
    }

    func notifierFailed(_ error: any Error) {
        triggerEnded(.failure(error))
    }

    func notifierCompleted() {
        triggerEnded(.success(()))
    }

    private func triggerEnded(_ end: Result<Void, any Error>) {
        let isAsked = answer.withLock { answer in
            answer.end = end
            return answer.isAwaited
        }
        if isAsked { finish(end) }
    }

    private func finish(_ triggerEnd: Result<Void, any Error>) {
        switch triggerEnd {
        case .success: end(nil)
        case .failure(let error): end(error)
        }
    }
}
