import Dispatch
import NetworkingTesting
import Rx

/// A clock that stands still until a test advances it.
typealias VirtualTime = ManualScheduler

extension ManualScheduler {
    /// Number of timers that are set and not cancelled.
    var pending: Int { pendingCount }

    /// Accepts a `Duration`. Disfavored, so that a time literal remains an `RxTimeInterval`.
    @_disfavoredOverload
    func advance(by duration: Duration) {
        advance(by: .nanoseconds(Int(duration / .nanoseconds(1))))
    }
}
