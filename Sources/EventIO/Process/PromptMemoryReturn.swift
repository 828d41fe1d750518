import Glibc
import Locking

/// Returns memory to the system as soon as it is freed, while a large piece of work runs that is not repeated
/// soon, such as reading a configuration. Does nothing without mimalloc, as in debug builds.
///
/// mimalloc keeps freed pages for some milliseconds and returns them when it next allocates near
/// them, so a thread that then waits would keep them for good.
public enum PromptMemoryReturn {
    private struct State {
        var users = 0
        /// Milliseconds, of the time without users.
        var delay = 0
    }

    private static let state = Lock(State())

    /// Begins a piece of work. It may run beside others, which call this, too.
    public static func begin() {
        guard let options else { return }
        state.withLock { state in
            state.users += 1
            guard state.users == 1 else { return }
            state.delay = options.get(decommitDelay)
            options.set(decommitDelay, 0)
        }
    }

    /// Ends it. All that it no longer needs must be freed before.
    public static func end() {
        guard let options else { return }
        state.withLock { state in
            state.users -= 1
            if state.users == 0 { options.set(decommitDelay, state.delay) }
        }
    }

    // MARK: - mimalloc

    /// The number of `mi_option_decommit_delay` in mimalloc 2.0, which 2.1 calls `mi_option_purge_delay`.
    private static let decommitDelay: CInt = 15

    private struct Options: Sendable {
        let get: @convention(c) (CInt) -> CLong
        let set: @convention(c) (CInt, CLong) -> Void
    }

    private static let options: Options? = {
        guard let get = dlsym(nil, "mi_option_get"), let set = dlsym(nil, "mi_option_set") else { return nil }
        return Options(
            get: unsafeBitCast(get, to: (@convention(c) (CInt) -> CLong).self),
            set: unsafeBitCast(set, to: (@convention(c) (CInt, CLong) -> Void).self))
    }()
}
