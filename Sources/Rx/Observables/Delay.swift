public import Dispatch
import Foundation
import Locking

extension ObservableType {
    /// Shifts values and completion by `dueTime`. An error is delivered at once and drops what waits.
    @inlinable
    public consuming func delay(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Delay(asObservable(), dueTime, scheduler)
    }
}

@usableFromInline
final class Delay<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget,
    @unchecked Sendable
{
    private struct State {
        /// What waits, the oldest first; `nil` is the completion.
        var waiting: [(due: RxTime, value: Element?)] = []
        var isTimerSet = false
        var token: TimerToken?
    }

    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let gate = Gate()
    private let state = Lock(State())

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval,
        _ scheduler: any SchedulerType
    ) {
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, scheduler)
    }

    override func next(_ value: Element) {
        enqueue(value)
    }

    override func completed() {
        enqueue(nil)
    }

    private func enqueue(_ value: Element?) {
        guard !upstream.isClosed else { return }
        let due = scheduler.now.addingTimeInterval(dueTime.seconds)
        let isFirst = state.withLock { state in
            state.waiting.append((due, value))
            defer { state.isTimerSet = true }
            return !state.isTimerSet
        }
        if isFirst { setTimer(after: dueTime) }
    }

    private func setTimer(after time: RxTimeInterval) {
        let token = scheduler.setTimer(after: time, target: self)
        state.withLock { $0.token = token }
        if upstream.isClosed { scheduler.cancelTimer(token) }
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        let now = scheduler.now
        while true {
            // The first one that waits is due; those that come with it are compared.
            let next: (isDue: Bool, value: Element?, due: RxTime)? = state.withLock { state in
                guard let first = state.waiting.first else {
                    state.isTimerSet = false
                    return nil
                }
                // A date holds no exact nanoseconds.
                let isDue = first.due.timeIntervalSince(now) < 1e-6
                if isDue { state.waiting.removeFirst() }
                return (isDue, first.value, first.due)
            }
            guard let next, !upstream.isClosed else { return }
            guard next.isDue else {
                return setTimer(
                    after: .nanoseconds(Int((next.due.timeIntervalSince(now) * 1e9).rounded(.up))))
            }
            deliver(next.value)
        }
    }

    private func deliver(_ value: Element?) {
        if gate.enter() {
            send(value)
            gate.leave()
        } else {
            gate.park { self.send(value) }
        }
    }

    private func send(_ value: Element?) {
        if let value {
            if !upstream.isClosed { down.next(value) }
        } else {
            super.completed()
        }
    }

    override func error(_ error: any Error) {
        if gate.enter() {
            fail(error)
            gate.leave()
        } else {
            gate.park { self.fail(error) }
        }
    }

    private func fail(_ error: any Error) {
        super.error(error)
        drop()
    }

    override func stop() {
        super.stop()
        drop()
    }

    private func drop() {
        let (waiting, token) = state.withLock { state in
            let old = (state.waiting, state.token)
            state.waiting = []
            return old
        }
        _ = waiting
        if let token { scheduler.cancelTimer(token) }
    }
}
