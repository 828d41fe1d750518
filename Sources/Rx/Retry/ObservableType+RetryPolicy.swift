import Dispatch

extension ObservableType {
    /// Subscribes again when the stream fails, as often and as late as `policy` says; an error that it does not retry passes.
    /// The failed attempt is disposed before the wait, which is `scheduler`'s; without a wait the next attempt follows at
    /// once, on the failing thread. Buffers nothing: values of a failed attempt have been sent. A policy
    /// of less than 1 attempt is `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func retry(_ policy: RetryPolicy, scheduler: any SchedulerType) -> Observable<Element> {
        guard policy.maxAttempts > 0 else { return .error(RxError.argumentOutOfRange) }
        return RetryByPolicy(asObservable(), policy, scheduler)
    }
}

extension PrimitiveSequence {
    /// Subscribes again when it fails, as often and as late as `policy` says; an error that it does not retry passes.
    @inlinable
    public consuming func retry(
        _ policy: RetryPolicy, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(policy, scheduler: scheduler))
    }
}

/// Runs its source until it does not fail or the policy has enough; attempts that fail at once use no stack.
// Sound: `repeated` is written before the source runs; `state` guards `progress`.
@usableFromInline
final class RetryByPolicy<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget,
    @unchecked Sendable
{
    private let policy: RetryPolicy
    private let scheduler: any SchedulerType
    /// Set between two attempts, in the gate, so that none fires before it is known.
    private let timer: TimerSlot
    private let gate = SerialGate()
    private let starts = RerunLoop()
    // Sound: written in `begin` before the source runs, read by whoever runs the starts.
    private var repeated: Observable<Element>?
    private let state = StateGuard()
    private var progress = RetryProgress()

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ policy: RetryPolicy, _ scheduler: any SchedulerType) {
        precondition(policy.maxAttempts > 0, "a stream cannot be tried \(policy.maxAttempts) times")
        self.policy = policy
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, policy, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.repeated = source
        me.down.attach(me)
        me.start()
    }

    private func start() {
        starts.run {
            guard !upstream.isClosed, let repeated else { return }
            startStream(repeated, Downstream(self))
        }
    }

    override func stop() {
        super.stop()
        timer.close()
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        gate.run { if self.timer.take(token) { self.start() } }
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        guard !upstream.isClosed else { return }
        policy.budget?.succeeded()
        finish(with: value)
    }

    override func completed() {
        guard !upstream.isClosed else { return }
        policy.budget?.succeeded()
        super.completed()
    }

    override func error(_ error: any Error) {
        guard !upstream.isClosed, state.enter() else { return }
        let wait: Int64?
        do {
            wait = try progress.wait(after: error, policy)
            state.leave()
        } catch let thrown {
            state.leave()
            return super.error(thrown)
        }
        guard let wait else { return super.error(error) }
        // The failed attempt is over before the next one is waited for.
        upstream.clear()
        guard wait > 0 else { return start() }
        gate.run { self.timer.set(after: .nanoseconds(Int(wait)), self) }
    }
}
