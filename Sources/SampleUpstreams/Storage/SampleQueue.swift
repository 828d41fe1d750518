internal import Dispatch
internal import Locking

/// Runs all access to the sample data on a serial queue, so that a slow disk or a locked file does not block a loop. The servers'
/// limit on requests in flight bounds the queue.
final class SampleQueue: Sendable {
    // Locked only on the queue, so never contended.
    private let data: Lock<SampleData>
    private let queue = DispatchQueue(label: "sluice.samples")

    init(_ data: sending SampleData) {
        self.data = Lock(data)
    }

    /// Runs `work` with the data on the queue, in the order of the calls.
    func run(_ work: @escaping @Sendable (SampleData) -> Void) {
        queue.async { self.data.withLock { work($0) } }
    }
}
