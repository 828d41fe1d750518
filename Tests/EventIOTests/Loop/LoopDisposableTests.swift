import EventIO
import Locking
import Rx
import TestSupport
import Testing

@Suite("Loop disposables", .timeLimit(.minutes(1)))
struct LoopDisposableTests {
    /// Reports its cancellation, and whether it happens on the loop.
    private final class Work: LoopDisposable, @unchecked Sendable {
        private let cancelled: @Sendable (_ onItsLoop: Bool) -> Void

        init(on loop: EventLoop, cancelled: @escaping @Sendable (Bool) -> Void) {
            self.cancelled = cancelled
            super.init(on: loop)
        }

        override func cancel() { cancelled(loop.isCurrent) }
    }

    @Test("Disposing on the loop cancels at once")
    func onTheLoop() async throws {
        try await withLoop { loop in
            let cancels = Lock(0)
            let atOnce = try await loop.perform {
                Work(on: loop) { _ in cancels.withLock { $0 += 1 } }.dispose()
                return cancels.withLock { $0 }
            }
            #expect(atOnce == 1)
        }
    }

    @Test("Disposing on another thread cancels on the loop")
    func fromElsewhere() async throws {
        try await withLoop { loop in
            let places = Lock<[Bool]>([])
            let disposable = try await loop.perform {
                Work(on: loop) { onItsLoop in places.withLock { $0.append(onItsLoop) } }
            }
            disposable.dispose()
            // Runs after the work submitted before it.
            try await loop.perform {}
            #expect(places.withLock { $0 } == [true])
        }
    }
}
