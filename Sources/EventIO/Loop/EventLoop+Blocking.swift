import Dispatch
import Locking

extension EventLoop {
    /// Runs `work` on the loop and waits for it. Not from a loop, and not after the loop has ended.
    ///
    /// For what starts a program and for tests. What a handler may call must not use it: two loops that wait for each other
    /// wait for ever.
    public func runBlocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value {
        precondition(EventLoop.current == nil, "a loop does not wait for a loop")
        let done = DispatchSemaphore(value: 0)
        let result = Lock<Value?>(nil)
        execute {
            let value = work()
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        guard let value = result.withLock({ $0 }) else { preconditionFailure("the loop had ended") }
        return value
    }
}
