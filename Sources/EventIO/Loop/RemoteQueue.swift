import CLibevent
import Glibc
import Locking

enum Work: Sendable {
    case closure(@Sendable () -> Void)
    case job(UnownedJob)
    case named(UnownedJob, any NamedExecutor)
}

/// Work from other threads: a list under a lock, and an eventfd that wakes the loop.
///
/// Only the first item after the loop took the list signals, so a burst costs one write. The loop never reads
/// the eventfd: it is registered edge-triggered, and every write is an edge.
final class RemoteQueue: Sendable {
    private struct State {
        var works: [Work] = []
        var isSignalled = false
        var isClosed = false
    }

    private let state = Lock(State())

    /// The eventfd. Opened in `init`, closed in `deinit`, after the loop's event on it is gone.
    let descriptor: Int32

    init() throws(SocketError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw SocketError(.eventDescriptor, errno) }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Returns false when the loop has ended and dropped the work.
    func append(_ work: Work) -> Bool {
        let (accepted, mustSignal) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.works.append(work)
            defer { state.isSignalled = true }
            return (true, !state.isSignalled)
        }
        if mustSignal { eventfd_write(descriptor, 1) }
        return accepted
    }

    /// Swaps the list for `empty` and reuses its storage.
    func take(into empty: inout [Work]) {
        var works = empty
        empty = []
        works = state.withLock { [works] state in
            defer {
                state.works = works
                state.isSignalled = false
            }
            return state.works
        }
        empty = works
    }

    /// Refuses further work. Waiting work can still be taken.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
