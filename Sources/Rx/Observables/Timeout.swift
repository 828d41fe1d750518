import Locking

extension ObservableType {
    /// Fails with `RxError.timeout` if `dueTime` passes without an event. The time restarts after each
    /// delivery.
    @inlinable
    public consuming func timeout(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Timeout(asObservable(), dueTime, nil, scheduler)
    }

    /// Switches to `other` if `dueTime` passes without an event. The timeout does not apply to `other`.
    @inlinable
    public consuming func timeout<Source: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        Timeout(asObservable(), dueTime, other.asObservable(), scheduler)
    }
}

/// Declared outside the generic class, where using it would look up metadata.
struct TimeoutState {
    enum Phase {
        /// The timer runs. Exits: `delivering` (a value), `ended` (a terminal event, disposal or expiry).
        case armed(TimerToken)
        /// A value is being delivered or the timer is being set. Exits: `armed`, `ended`.
        case delivering
        /// The timer no longer matters. No exits.
        case ended
    }

    enum AfterSetting {
        case wait, cancel, fire
    }

    var phase = Phase.delivering
    /// A timer that fired before its token was stored.
    var early: TimerToken?
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Timeout<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget,
    @unchecked Sendable
{
    private let dueTime: RxTimeInterval
    private let other: Observable<Element>?
    private let scheduler: any SchedulerType
    private let state = Lock(TimeoutState())

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval,
        _ other: consuming Observable<Element>?,
        _ scheduler: consuming any SchedulerType
    ) {
        self.dueTime = dueTime
        self.other = other
        self.scheduler = scheduler
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, other, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        guard !me.upstream.isClosed else { return }
        me.arm()
        (consume source).run(Downstream(consume me))
    }

    private func arm() {
        let token = scheduler.setTimer(after: dueTime, target: self)
        let next: TimeoutState.AfterSetting = state.withLock { state in
            guard case .delivering = state.phase else { return .cancel }
            guard state.early != token else {
                state.phase = .ended
                return .fire
            }
            state.phase = .armed(token)
            return .wait
        }
        switch next {
        case .wait: break
        case .cancel: scheduler.cancelTimer(token)
        case .fire: expire()
        }
    }

    /// Cancels the timer and enters `phase`. Returns false if the timeout has already ended.
    private func disarm(_ phase: TimeoutState.Phase) -> Bool {
        let (isLive, token): (Bool, TimerToken?) = state.withLock { state in
            switch state.phase {
            case .armed(let token):
                state.phase = phase
                return (true, token)
            case .delivering:
                state.phase = phase
                return (true, nil)
            case .ended:
                return (false, nil)
            }
        }
        if let token { scheduler.cancelTimer(token) }
        return isLive
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        let isDue: Bool = state.withLock { state in
            switch state.phase {
            case .armed(let armed):
                guard armed == token else { return false }
                state.phase = .ended
                return true
            case .delivering:
                state.early = token
                return false
            case .ended:
                return false
            }
        }
        if isDue { expire() }
    }

    private func expire() {
        guard let other else { return super.error(RxError.timeout) }
        if let source = upstream.close() { ReplacementStep.start(other, down.share(), after: source) }
    }

    override func next(_ value: Element) {
        guard disarm(.delivering) else { return }
        down.next(value)
        if !upstream.isClosed { arm() }
    }

    override func last(_ value: Element) {
        if disarm(.ended) { finish(with: value) }
    }

    override func error(_ error: any Error) {
        if disarm(.ended) { super.error(error) }
    }

    override func completed() {
        if disarm(.ended) { super.completed() }
    }

    override func stop(_ stops: inout DisposalStack) {
        if !upstream.isClosed { _ = disarm(.ended) }
        super.stop(&stops)
    }
}
