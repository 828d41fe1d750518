internal import Dispatch
internal import Locking

/// The sample data behind a serial queue of its own: a slow disk or a lock on the file keeps no loop waiting.
/// What waits here is bounded by the servers' limit of requests in flight.
final class SampleQueue: Sendable {
    // Taken on the queue only, so never contended.
    private let data: Lock<SampleData>
    private let queue = DispatchQueue(label: "sluice.samples")

    init(_ data: sending SampleData) {
        self.data = Lock(data)
    }

    /// Runs `work` with the data, off the calling thread, in the order of the calls.
    func run(_ work: @escaping @Sendable (SampleData) -> Void) {
        queue.async { self.data.withLock { work($0) } }
    }
}
