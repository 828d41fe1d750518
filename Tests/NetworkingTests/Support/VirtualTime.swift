import Dispatch
import Rx

/// A clock that stands still until a test advances it.
typealias VirtualTime = ManualScheduler

extension ManualScheduler {
    /// Number of timers that are set and not cancelled.
    var pending: Int { pendingCount }

    /// Takes a `Duration`, because a time literal is an `RxTimeInterval` of the scheduler.
    @_disfavoredOverload
    func advance(by duration: Duration) {
        advance(by: .nanoseconds(Int(duration / .nanoseconds(1))))
    }
}
