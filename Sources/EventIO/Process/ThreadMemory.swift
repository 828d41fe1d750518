import Dispatch
import Locking

/// The memory of a thread that reads what is kept for long, such as a configuration.
///
/// mimalloc gives what an ended thread has left to other threads. Contents of different ages would share
/// pages, so that the later ones keep the memory of the earlier ones. So the thread lives as long as its
/// contents, which keep this value.
package final class ThreadMemory: Sendable {
    private let isFree = DispatchSemaphore(value: 0)

    private init() {}

    deinit { isFree.signal() }

    /// Runs `body` on a new thread, and returns its value once it has that.
    ///
    /// - Parameters:
    ///   - name: of the thread.
    ///   - body: passes its parameter on to what it has made.
    /// - Throws: what `body` throws, or `SocketError` when the system refuses another thread.
    package static func value<Value: Sendable>(
        by name: String, _ body: @escaping @Sendable (ThreadMemory) throws -> Value
    ) throws -> Value {
        let call = Call(body)
        try NativeThread.start(name: name) {
            let isFree = call.run()
            MemoryReturn.collect()
            isFree.wait()
            // Most is free now, and the rest is soon.
            for _ in 0..<2 {
                MemoryReturn.collect()
                _ = isFree.wait(timeout: .now() + MemoryFollower.interval)
            }
        }
        return try call.value()
    }

    /// A call of a closure that keeps neither the closure nor its value: either may keep the memory.
    private final class Call<Value: Sendable>: Sendable {
        typealias Body = @Sendable (ThreadMemory) throws -> Value

        private let body: Lock<Body?>
        private let outcome = Lock<Result<Value, any Error>?>(nil)
        private let isDone = DispatchSemaphore(value: 0)

        init(_ body: @escaping Body) { self.body = Lock(body) }

        /// Returns what tells that the memory is free.
        func run() -> DispatchSemaphore {
            defer { isDone.signal() }
            let memory = ThreadMemory()
            let body = body.withLock { body in
                defer { body = nil }
                return body
            }
            guard let body else { preconditionFailure("a call ran twice") }
            let result = Result { try body(memory) }
            outcome.withLock { $0 = result }
            return memory.isFree
        }

        func value() throws -> Value {
            isDone.wait()
            let result = outcome.withLock { outcome in
                defer { outcome = nil }
                return outcome
            }
            guard let result else { preconditionFailure("a call has no outcome") }
            return try result.get()
        }
    }
}
