import Dispatch
import Rx

/// The clock of these tests stands still until a test moves it.
typealias VirtualTime = ManualScheduler

extension ManualScheduler {
    /// Timers that are set and not cancelled.
    var pending: Int { pendingCount }

    /// A literal of time is a `RxTimeInterval`, as the scheduler has it; this takes the `Duration` of a limit.
    @_disfavoredOverload
    func advance(by duration: Duration) {
        advance(by: .nanoseconds(Int(duration / .nanoseconds(1))))
    }
}
