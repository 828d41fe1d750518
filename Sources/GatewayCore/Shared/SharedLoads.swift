import Locking

/// The loads of shared values in progress. A gateway ends them before its hooks of the stop.
package final class SharedLoads: Sendable {
    private struct State {
        /// By the flights that they load.
        var tasks: [ObjectIdentifier: LimitedTask] = [:]
        var areCancelled = false
        var isClosed = false
    }

    private let state = Lock(State())
    private let running = Countdown()

    package init() {}

    /// Whether the gateway stops, so that the failure of a load is not worth a line.
    var areCancelled: Bool { state.withLock { $0.areCancelled } }

    /// A load is about to begin. Call `ended` once its task has ended.
    func begins(_ task: LimitedTask, for flight: AnyObject) {
        running.begin()
        let isClosed = state.withLock { state in
            state.tasks[ObjectIdentifier(flight)] = task
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    func ended(_ flight: AnyObject) {
        // Released outside the lock.
        let task = state.withLock { $0.tasks.removeValue(forKey: ObjectIdentifier(flight)) }
        withExtendedLifetime(task) {}
        running.end()
    }

    /// Cancels the loads in progress. Hooks of the stop may begin others.
    func cancel() {
        let tasks = state.withLock { state in
            state.areCancelled = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Cancels the loads in progress, and each one that begins.
    func close() {
        state.withLock { $0.isClosed = true }
        cancel()
    }

    /// Calls the closure once no load is in progress. Called once.
    func whenNone(_ closure: @escaping @Sendable () -> Void) { running.whenNone(closure) }
}
