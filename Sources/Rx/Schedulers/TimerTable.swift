import Locking

/// Implements `setTimer` with `scheduleRelative`, for schedulers without native timers. Holds all live timers
/// by token.
enum TimerTable {
    private struct State {
        var live: [UInt64: any Disposable] = [:]
        var next: UInt64 = 0
    }

    private static let state = Lock(State())

    static func set(
        _ scheduler: some SchedulerType, after dueTime: RxTimeInterval, target: any TimerTarget
    ) -> TimerToken {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let token = TimerToken(
            index: UInt32(truncatingIfNeeded: id), generation: UInt32(truncatingIfNeeded: id >> 32))
        let pending = SingleAssignmentDisposable()
        state.withLock { $0.live[id] = pending }
        let box = TargetBox(target: target)
        pending.setDisposable(
            scheduler.scheduleRelative(box, dueTime: dueTime) { box in
                let isLive = state.withLock { $0.live.removeValue(forKey: id) } != nil
                if isLive { box.target.timerFired(token) }
                return Disposables.create()
            })
        return token
    }

    static func cancel(_ token: TimerToken) {
        let id = UInt64(token.generation) << 32 | UInt64(token.index)
        state.withLock { $0.live.removeValue(forKey: id) }?.dispose()
    }

    /// Sound as Sendable: it adds only constants. The scheduler calls the target once, on its own thread, as
    /// `TimerTarget` requires.
    private struct TargetBox: @unchecked Sendable {
        let target: any TimerTarget
    }
}

extension SchedulerType {
    /// Starts a timer that calls its target once, after `dueTime`. Default: by `scheduleRelative`.
    public func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken {
        TimerTable.set(self, after: dueTime, target: target)
    }

    /// Cancels a timer that has not fired.
    public func cancelTimer(_ token: TimerToken) {
        TimerTable.cancel(token)
    }
}
