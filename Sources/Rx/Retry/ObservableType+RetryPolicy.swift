import Dispatch
import Locking

extension ObservableType {
    /// Subscribes to the source again when it fails, as often and after the waits that `policy` allows. An
    /// error that the policy does not retry is passed on. The failed attempt is disposed before the wait.
    /// Retries run on `scheduler` or, without a wait, at once on the failing thread. Values of a failed
    /// attempt have already been emitted. A policy with fewer than 1 attempt fails with
    /// `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func retry(_ policy: RetryPolicy, scheduler: any SchedulerType) -> Observable<Element> {
        guard policy.maxAttempts > 0 else { return .error(RxError.argumentOutOfRange) }
        return RetryByPolicy(asObservable(), policy, scheduler)
    }
}

extension PrimitiveSequence {
    /// Subscribes to the source again when it fails, as often and after the waits that `policy` allows.
    @inlinable
    public consuming func retry(
        _ policy: RetryPolicy, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(policy, scheduler: scheduler))
    }
}

/// Repeats its source while the policy allows, in a loop, so attempts that fail synchronously do not recurse.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class RetryByPolicy<Element: Sendable>: StartingOperator<Element>, TimerTarget,
    @unchecked Sendable
{
    private let policy: RetryPolicy
    private let scheduler: any SchedulerType
    /// Set between two attempts, inside the gate, so that it cannot fire before its token is stored.
    private let timer: TimerSlot
    private let gate = SerialGate()
    private let starts = RerunLoop()
    /// Entered while the policy decides. Its closures may fail the stream again.
    private let deciding = StateGuard()
    private let progress = Lock(RetryProgress())

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ policy: RetryPolicy, _ scheduler: any SchedulerType) {
        self.policy = policy
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, policy, scheduler)
    }

    override func sourceKept() {
        starts.run { startKept(isLast: false) }
    }

    override func stop(_ stops: inout DisposalStack) {
        super.stop(&stops)
        timer.close()
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        gate.run { if self.timer.take(token) { self.sourceKept() } }
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
        guard !upstream.isClosed, deciding.enter() else { return }
        let wait: Int64?
        do {
            var progress = self.progress.withLock { $0 }
            wait = try progress.wait(after: error, policy)
            self.progress.withLock { [progress] in $0 = progress }
            deciding.leave()
        } catch let thrown {
            deciding.leave()
            return super.error(thrown)
        }
        guard let wait else { return super.error(error) }
        // Dispose the failed attempt before the wait.
        upstream.clear()
        guard wait > 0 else { return sourceKept() }
        gate.run { self.timer.set(after: .nanoseconds(Int(wait)), self) }
    }
}
