import Dispatch
import Locking

extension EventLoop {
    /// Stops the program if the calling thread is not the loop's.
    public func preconditionCurrent(_ what: StaticString = "must be called on its event loop") {
        precondition(isCurrent, "\(what)")
    }

    /// Runs `work` on the loop and waits for it; for program start and tests. Do not call it after the loop
    /// has ended, or on a loop: two loops that wait for each other never return.
    public func runBlocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value {
        precondition(EventLoop.current == nil, "an event loop must not block for another one")
        let done = DispatchSemaphore(value: 0)
        let result = Lock<Value?>(nil)
        execute {
            let value = work()
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        guard let value = result.withLock({ $0 }) else { preconditionFailure("the event loop has ended") }
        return value
    }
}
