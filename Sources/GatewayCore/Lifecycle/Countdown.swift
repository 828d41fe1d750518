import Locking

/// Calls a closure once everything that has begun has ended.
final class Countdown: Sendable {
    private struct State {
        var count = 0
        var whenNone: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    func begin() { state.withLock { $0.count += 1 } }

    /// Follows each `begin()`.
    func end() {
        let whenNone = state.withLock { state -> (@Sendable () -> Void)? in
            state.count -= 1
            return state.count == 0 ? state.whenNone.take() : nil
        }
        whenNone?()
    }

    /// Calls the closure now, if nothing is in progress, or once nothing is. Called once.
    func whenNone(_ closure: @escaping @Sendable () -> Void) {
        let isNone = state.withLock { state in
            if state.count > 0 { state.whenNone = closure }
            return state.count == 0
        }
        if isNone { closure() }
    }
}
