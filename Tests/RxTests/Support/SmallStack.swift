import Glibc
import Rx

/// Runs `body` on a thread with 512 KiB of stack and waits for it. Anything that needs stack for each of a
/// million repetitions overflows it. `Resources` counts its objects for the current task.
@discardableResult
func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
    let ledger = Resources.ledger
    let result = Shared<Result?>(nil)
    let work = Unmanaged.passRetained(
        StackWork {
            let made = Resources.$ledger.withValue(ledger, operation: body)
            result.withLock { $0 = made }
        })
    let status = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
        guard let attributes = attributes.baseAddress else { return EINVAL }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setstacksize(attributes, 512 * 1024)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, attributes,
            { argument in
                if let argument { Unmanaged<StackWork>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        return status == 0 ? pthread_join(thread, nil) : status
    }
    guard status == 0, let made = result.withLock({ $0 }) else {
        preconditionFailure("pthread_create or pthread_join failed: \(status)")
    }
    return made
}

private final class StackWork: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
