import Locking

/// A scheduler whose clock jumps from event to event, in tests. It has to know of waits for other clocks: on
/// a real clock, they might have ended before its next event.
package protocol JumpingClock: SchedulerType {
    /// `wait` begins now. It may have ended when its time has passed on this clock. A wait for a turn ends
    /// before this clock moves on.
    func began(_ wait: ForeignWait)
}

/// A wait for the real clock of a scheduler, such as a dispatch queue, or for a turn on the main queue, in a
/// context whose own clock jumps.
package final class ForeignWait: Disposable {
    /// The length of the wait. 0 for a turn.
    package let nanoseconds: Int
    /// The type of the scheduler: `SerialDispatchQueueScheduler`.
    package let scheduler: String
    /// The context that waits.
    package let context: any SubscriberContext
    /// Nil once the wait is over.
    private let end = Lock<(@Sendable (_ hasElapsed: Bool) -> Void)?>(nil)

    fileprivate init(nanoseconds: Int, _ scheduler: any SchedulerType, _ context: any SubscriberContext) {
        self.nanoseconds = nanoseconds
        self.scheduler = "\(type(of: scheduler))"
        self.context = context
    }

    /// Sets what is called once when the wait is over: whether its time has elapsed on the real clock, or its
    /// turn has ended, or it was cancelled. Call it from `JumpingClock.began(_:)`.
    package func onEnd(_ end: @escaping @Sendable (_ hasElapsed: Bool) -> Void) {
        self.end.withLock { $0 = end }
    }

    /// The time has elapsed on the real clock, or the turn has ended.
    func elapsed() { over(hasElapsed: true) }

    package func dispose() { over(hasElapsed: false) }

    private func over(hasElapsed: Bool) {
        // Called outside the lock, because it calls back into the clock.
        end.withLock { $0.take() }?(hasElapsed)
    }
}

extension SubscriberContexts {
    /// Tells the running context's clock of a wait for the clock of `scheduler`. Returns nil without a wait,
    /// or if the context's clock is a real one, too.
    static func beginWait(_ dueTime: RxTimeInterval, on scheduler: any SchedulerType) -> ForeignWait? {
        guard let running, let clock = running.scheduler as? any JumpingClock, !running.hasEnded else {
            return nil
        }
        let nanoseconds = dueTime.saturatedNanoseconds
        guard nanoseconds > 0 else { return nil }
        let wait = ForeignWait(nanoseconds: nanoseconds, scheduler, running)
        clock.began(wait)
        return wait
    }

    /// Notes that work of the running context goes to the main queue, and tells its clock of the wait for a
    /// turn there. Returns nil outside a context, and if the context's clock is a real one.
    static func beginTurn(on scheduler: any SchedulerType) -> ForeignWait? {
        guard let running, !running.hasEnded else { return nil }
        running.noteMainQueue()
        guard let clock = running.scheduler as? any JumpingClock else { return nil }
        let wait = ForeignWait(nanoseconds: 0, scheduler, running)
        clock.began(wait)
        return wait
    }

    /// Notes that work of the running context goes to the main queue, if there is a context.
    static func noteMainQueue() {
        if let running, !running.hasEnded { running.noteMainQueue() }
    }
}
