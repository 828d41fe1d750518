import CLibevent
import Glibc
import Locking

/// What other threads give a loop to do.
enum Work: Sendable {
    case closure(@Sendable () -> Void)
    case job(UnownedJob)
}

/// The way to a loop from other threads: a list under a lock, and an eventfd that wakes the loop.
///
/// One write per burst: only the first work after the loop took the list signals. The loop never reads the
/// eventfd; it is registered edge-triggered, and every write is an edge.
final class RemoteQueue: Sendable {
    private struct State {
        var works: [Work] = []
        var isSignalled = false
        var isClosed = false
    }

    private let state = Lock(State())

    /// The eventfd. Opened here, closed in `deinit`, after the loop's event on it is gone.
    let descriptor: Int32

    init() throws(SocketError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw SocketError(.eventDescriptor, errno) }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// False when the loop has ended: the work is dropped.
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

    /// Exchanges the list for an empty one, whose storage is used from here on.
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

    /// Refuses work from here on; what is waiting can still be taken.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
