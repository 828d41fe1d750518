internal import Dispatch
internal import Locking
internal import Sluice

/// The sample data on a queue of its own, so that a slow disk or a locked file does not block a loop.
final class SampleQueue: Sendable {
    // Locked only on the queue, so never contended.
    private let data: Lock<SampleData>
    private let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "sluice.samples")

    init(_ data: sending SampleData) {
        self.data = Lock(data)
    }

    /// Returns the answer that `work` makes of the data, after so many milliseconds.
    func answer(
        after milliseconds: Int, _ work: @escaping @Sendable (SampleData) throws -> Answer
    ) -> Single<Answer> {
        Single<Int>.timer(.milliseconds(milliseconds), scheduler: queue).map { [self] _ in
            try data.withLock { try work($0) }
        }
    }
}
