internal import Dispatch
internal import Locking

/// The diary behind a serial queue of its own: a slow disk or a lock on the file keeps no loop waiting.
/// What waits here is bounded by the servers' limit of requests in flight.
final class DiaryQueue: Sendable {
    // Taken on the queue only, so never contended.
    private let diary: Lock<Diary>
    private let queue = DispatchQueue(label: "sluice.diary")

    init(_ diary: sending Diary) {
        self.diary = Lock(diary)
    }

    /// Runs `work` with the diary, off the calling thread, in the order of the calls.
    func run(_ work: @escaping @Sendable (Diary) -> Void) {
        queue.async { self.diary.withLock { work($0) } }
    }
}
