import Dispatch
import NetworkingTesting
import Rx

/// The clock of these tests. Only a test advances it.
typealias VirtualTime = ManualScheduler

extension ManualScheduler {
    /// The number of pending timers.
    var pending: Int { pendingCount }

    /// Advances by a `Duration`, the type of limits, instead of an `RxTimeInterval`.
    @_disfavoredOverload
    func advance(by duration: Duration) {
        advance(by: .nanoseconds(Int(duration / .nanoseconds(1))))
    }
}
