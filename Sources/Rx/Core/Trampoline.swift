import Glibc

/// A thread's queue of work that waits until the subscription being made there returns. Only that thread touches it.
package final class Trampoline {
    // Unchecked, both, for the rows "from(array), an element" and "Single.just.map.subscribe" of RxBench.
    @exclusivity(unchecked)
    private(set) var isRunning = false
    @exclusivity(unchecked)
    private var queue = Queue<Link>()

    /// Whether other work waits for the running work to yield.
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

    // Sound: the thread's slot holds one retain, which the key's destructor releases as the thread exits.
    static var current: Trampoline {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<Trampoline>.fromOpaque(pointer).takeUnretainedValue()
        }
        let trampoline = Trampoline()
        pthread_setspecific(key, Unmanaged.passRetained(trampoline).toOpaque())
        return trampoline
    }

    /// Runs `body` with a separate trampoline, for callers that block this thread until work on its trampoline is done.
    package static func nested<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        let inner = Trampoline()
        pthread_setspecific(key, Unmanaged.passUnretained(inner).toOpaque())
        defer { pthread_setspecific(key, outer) }
        return try withExtendedLifetime(inner) { try body() }
    }

    /// Returns whether the caller now has to call `drain()`.
    func enter() -> Bool {
        guard !isRunning else { return false }
        isRunning = true
        return true
    }

    func enqueue(_ link: Link) {
        queue.append(link)
    }

    func drain() {
        defer { isRunning = false }
        guard hasWaiting else { return }
        while let link = queue.popFirst() {
            link.resume()
        }
    }
}
