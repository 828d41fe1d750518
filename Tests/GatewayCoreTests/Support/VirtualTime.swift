import Dispatch
import Rx

/// The clock of these tests, which only a test moves.
typealias VirtualTime = ManualScheduler

extension ManualScheduler {
    /// Pending timers.
    var pending: Int { pendingCount }

    /// Takes a `Duration`, like that of a limit, where the scheduler takes a `RxTimeInterval`.
    @_disfavoredOverload
    func advance(by duration: Duration) {
        advance(by: .nanoseconds(Int(duration / .nanoseconds(1))))
    }
}
