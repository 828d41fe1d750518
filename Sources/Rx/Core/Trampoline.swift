import Glibc

/// The current thread's queue of work that has to wait until the subscription being made on it returns.
///
/// Only its own thread touches it.
final class Trampoline {
    private(set) var isRunning = false
    private var queue: [() -> Void] = []
    private var head = 0

    /// Whether something waits for the one running now to yield.
    var hasWaiting: Bool { head < queue.count }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { Unmanaged<Trampoline>.fromOpaque($0!).release() }
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

    /// Whether the caller is now the one that has to `drain()`.
    func enter() -> Bool {
        guard !isRunning else { return false }
        isRunning = true
        return true
    }

    func enqueue(_ work: @escaping () -> Void) {
        queue.append(work)
    }

    /// Runs what waits, in the order it came, until nothing is left.
    func drain() {
        while head < queue.count {
            let work = queue[head]
            head += 1
            if head > 32, head * 2 > queue.count {
                queue.removeSubrange(..<head)
                head = 0
            }
            work()
        }
        queue.removeAll(keepingCapacity: queue.capacity <= 64)
        head = 0
        isRunning = false
    }
}
