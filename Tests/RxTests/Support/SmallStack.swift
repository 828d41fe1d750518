import Glibc
import Rx

/// Runs `body` on a thread with half a megabyte of stack, where what needs stack for each of a million does not come far,
/// and waits for it. What it makes counts as the current task's.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let ledger = Resources.ledger
    let work = Unmanaged.passRetained(StackWork { Resources.$ledger.withValue(ledger, operation: body) })
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
    precondition(status == 0, "no thread with a small stack ran: \(status)")
}

private final class StackWork: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
