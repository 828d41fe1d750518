import Locking

extension ObservableType {
    /// Fails with `RxError.timeout` when `dueTime` passes without an event: since the subscription, or since the last
    /// value was delivered.
    @inlinable
    public consuming func timeout(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Timeout(asObservable(), dueTime, nil, scheduler)
    }

    /// Goes on with `other` when `dueTime` passes without an event.
    @inlinable
    public consuming func timeout<Source: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        Timeout(asObservable(), dueTime, other.asObservable(), scheduler)
    }
}

@usableFromInline
final class Timeout<Element: Sendable>: Operator<Element, Element>, TimerTarget, @unchecked Sendable {
    private enum Phase {
        /// The timer runs. Next: delivering (a value came), ended (a terminal event, disposal, or it fired).
        case armed(TimerToken)
        /// A value is being delivered or the timer being set. Next: armed, ended.
        case delivering
        /// Nobody waits for the timer any more.
        case ended
    }

    private struct State {
        var phase = Phase.delivering
        /// A timer that fired before its token was known.
        var early: TimerToken?
    }

    private enum AfterSetting {
        case wait, cancel, fire
    }

    private let dueTime: RxTimeInterval
    private let other: Observable<Element>?
    private let scheduler: any SchedulerType
    private let upstream = LinkSlot()
    private let state = Lock(State())

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ other: Observable<Element>?,
        _ scheduler: any SchedulerType
    ) {
        self.dueTime = dueTime
        self.other = other
        self.scheduler = scheduler
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, other, scheduler)
    }

    override func begin(_ source: consuming Observable<Element>) {
        down.attach(self)
        guard !upstream.isClosed else { return }
        arm()
        super.begin(source)
    }

    override func attach(_ upstream: Link) {
        self.upstream.set(upstream)
    }

    private func arm() {
        let token = scheduler.setTimer(after: dueTime, target: self)
        let next: AfterSetting = state.withLock { state in
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

    /// Takes the timer's place. Whether it had not fired.
    private func disarm(_ phase: Phase) -> Bool {
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
        guard let source = upstream.close() else { return }
        if let other {
            // What ends the other is attached below in place of this step.
            Observable.start(other, down.share())
        } else {
            down.error(RxError.timeout)
        }
        source.stop()
    }

    override func next(_ value: Element) {
        guard disarm(.delivering) else { return }
        down.next(value)
        if !upstream.isClosed { arm() }
    }

    override func last(_ value: Element) {
        guard disarm(.ended), let source = upstream.close() else { return }
        down.last(value)
        source.stop()
    }

    override func error(_ error: any Error) {
        guard disarm(.ended), let source = upstream.close() else { return }
        down.error(error)
        source.stop()
    }

    override func completed() {
        guard disarm(.ended), let source = upstream.close() else { return }
        down.completed()
        source.stop()
    }

    override func stop() {
        if disarm(.ended) { upstream.closeAndStop() }
    }
}
