import Queues

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread's queue of work that waits until the subscription being made there returns. Only that thread
/// touches it.
package final class Trampoline {
    /// What follows the start of a stream. It decides how many starts may be nested in it. Other starts wait
    /// until these have returned, so that a recursive stream does not deepen the stack. A stream that waits
    /// emits later than it would, so where that changes the result, more starts may be nested.
    enum Follower: Int {
        /// Nothing, or values that only come between other ones if the stream waits.
        case any = 32
        /// A further value, which may replace the stream or be dropped while it runs.
        case value = 64
        /// Another stream, which needs the values of this one.
        case stream = 96
    }

    /// The number of starts in progress since the subscription being made, and how many there may be.
    // Unchecked, both, for the rows "from(array), an element" and "Single.just.map.subscribe" of RxBench.
    @exclusivity(unchecked)
    private var starts = (depth: 0, maximum: Follower.any.rawValue)
    @exclusivity(unchecked)
    private var queue = Queue<Link>()

    var isRunning: Bool { starts.depth > 0 }

    /// Whether other work waits for the running work to yield.
    var hasWaiting: Bool { !queue.isEmpty }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { trampoline in
            // Elsewhere it is not optional.
            #if canImport(Glibc)
                guard let trampoline else { return }
            #endif
            Unmanaged<Trampoline>.fromOpaque(trampoline).release()
        }
        precondition(status == 0, "no thread-specific key is left")
        return key
    }()

    // Sound: the thread's slot holds one retain, which the key's destructor releases as the thread exits.
    static var current: Trampoline { borrowed().takeUnretainedValue() }

    /// The same without a retain, for callers that return before the thread exits.
    static func borrowed() -> Unmanaged<Trampoline> {
        if let pointer = pthread_getspecific(key) { return .fromOpaque(pointer) }
        return .passUnretained(make())
    }

    @inline(never)
    private static func make() -> Trampoline {
        let trampoline = Trampoline()
        pthread_setspecific(key, Unmanaged.passRetained(trampoline).toOpaque())
        return trampoline
    }

    /// Runs `body` with a separate trampoline, for callers that block this thread until work on its
    /// trampoline is done.
    package static func nested<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        let inner = Trampoline()
        pthread_setspecific(key, Unmanaged.passUnretained(inner).toOpaque())
        defer { pthread_setspecific(key, outer) }
        return try withExtendedLifetime(inner) { try body() }
    }

    /// Begins a start. Returns false if too many are nested. Otherwise `leave()` has to follow.
    func enter() -> Bool {
        guard starts.depth < starts.maximum else { return false }
        starts.depth += 1
        return true
    }

    /// Ends a start. The outermost one runs the waiting work first.
    @inline(__always)
    func leave() {
        if starts.depth == 1, hasWaiting { drain() }
        starts.depth -= 1
    }

    /// Allows as many nested starts as a stream needs that is followed by something. Returns what to restore
    /// after its start.
    func allowStarts(before follower: Follower) -> Int {
        let outer = starts.maximum
        starts.maximum = max(outer, follower.rawValue)
        return outer
    }

    func restoreStarts(_ outer: Int) {
        starts.maximum = outer
    }

    /// Begins a subscription made by a program, which is never postponed. Returns the depth to restore.
    func beginSubscription() -> Int {
        let outer = starts.depth
        starts.depth = min(outer + 1, 2)
        return outer
    }

    func endSubscription(_ outer: Int) {
        if outer == 0, hasWaiting { drain() }
        starts.depth = outer
    }

    func enqueue(_ link: Link) {
        queue.append(link)
    }

    @inline(never)
    private func drain() {
        while let link = queue.popFirst() {
            link.resume()
        }
    }
}
