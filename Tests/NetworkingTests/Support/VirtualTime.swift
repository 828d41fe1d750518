import Dispatch
import Foundation
import Locking
import Rx

/// A scheduler whose time stands still until a test moves it.
final class VirtualTime: SchedulerType {
    private struct Item: Sendable {
        let due: Int64
        let order: Int
        let action: @Sendable () -> Void
    }

    private struct State: Sendable {
        var nanoseconds: Int64 = 0
        var items: [Item] = []
        var made = 0
    }

    private let state = Lock(State())

    /// Far from zero, so that a date's rounding is what it is in life.
    private let origin = Date(timeIntervalSince1970: 1_795_000_000)

    var now: RxTime { origin.addingTimeInterval(Double(state.withLock { $0.nanoseconds }) / 1e9) }

    /// Timers that are set and not cancelled.
    var pending: Int { state.withLock { $0.items.count } }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
    }

    func scheduleRelative<StateType: Sendable>(
        _ value: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let delay = nanoseconds(dueTime)
        let order = state.withLock { state in
            state.made += 1
            state.items.append(
                Item(due: state.nanoseconds + max(0, delay), order: state.made, action: { _ = action(value) })
            )
            return state.made
        }
        return Disposables.create { [self] in
            state.withLock { $0.items.removeAll { $0.order == order } }
        }
    }

    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        scheduleRelative(state, dueTime: startAfter) { [self] state in
            schedulePeriodic(action(state), startAfter: period, period: period, action: action)
        }
    }

    func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let end = state.withLock { $0.nanoseconds } + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        while let item = next(until: end) { item.action() }
        state.withLock { $0.nanoseconds = end }
    }

    private func next(until end: Int64) -> Item? {
        state.withLock { state in
            guard
                let index = state.items.indices.min(by: {
                    (state.items[$0].due, state.items[$0].order) < (
                        state.items[$1].due, state.items[$1].order
                    )
                }), state.items[index].due <= end
            else { return nil }
            let item = state.items.remove(at: index)
            state.nanoseconds = max(state.nanoseconds, item.due)
            return item
        }
    }

    private func nanoseconds(_ interval: RxTimeInterval) -> Int64 {
        switch interval {
        case .seconds(let value): Int64(value) * 1_000_000_000
        case .milliseconds(let value): Int64(value) * 1_000_000
        case .microseconds(let value): Int64(value) * 1000
        case .nanoseconds(let value): Int64(value)
        case .never: .max / 2
        @unknown default: .max / 2
        }
    }
}
