import Glibc

/// The current thread's queue of work that has to wait until the subscription being made on it returns.
///
/// Only its own thread touches it, and no method holds a property while it calls out.
package final class Trampoline {
    private(set) var isRunning = false
    private var queue = Queue<Link>()

    /// Whether something waits for the one running now to yield.
    var hasWaiting: Bool { !queue.isEmpty }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { trampoline in
            guard let trampoline else { return }
            Unmanaged<Trampoline>.fromOpaque(trampoline).release()
        }
        precondition(status == 0, "no thread-specific key is left")
        return key
    }()

    static var current: Trampoline {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<Trampoline>.fromOpaque(pointer).takeUnretainedValue()
        }
        let trampoline = Trampoline()
        pthread_setspecific(key, Unmanaged.passRetained(trampoline).toOpaque())
        return trampoline
    }

    /// Runs `body` with a trampoline of its own: for who waits on this thread for what runs in turns on it.
    package static func nested<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        let inner = Trampoline()
        pthread_setspecific(key, Unmanaged.passUnretained(inner).toOpaque())
        defer { pthread_setspecific(key, outer) }
        return try withExtendedLifetime(inner) { try body() }
    }

    /// Whether the caller is now the one that has to `drain()`.
    func enter() -> Bool {
        guard !isRunning else { return false }
        isRunning = true
        return true
    }

    /// Gives `link` a turn after those that wait already.
    func enqueue(_ link: Link) {
        queue.append(link)
    }

    /// Runs what waits, in the order it came, until nothing is left.
    func drain() {
        defer { isRunning = false }
        guard hasWaiting else { return }
        while let link = queue.popFirst() {
            link.resume()
        }
    }
}
