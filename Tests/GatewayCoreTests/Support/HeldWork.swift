import Locking
import Networking

/// Work that waits for another thread, until a test does it.
final class HeldWork: Sendable {
    private let waiting = Lock<[@Sendable () -> Void]>([])
    let isFull = Lock(false)
    /// For whom work was submitted.
    let clients = Lock<[String?]>([])

    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        if isFull.withLock({ $0 }) { return false }
        clients.withLock { $0.append(CallContext.current?.client) }
        waiting.withLock { $0.append(work) }
        return true
    }

    func submit(_ work: WaitingWork) -> Bool { submit { work.run() } }

    var count: Int { waiting.withLock { $0.count } }

    func run() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for work in all { work() }
    }
}
