import EventIO
import Locking
import Rx
import Testing

@Suite("What ends something of a loop", .timeLimit(.minutes(1)))
struct LoopDisposableTests {
    /// Counts how often it was cancelled, and where.
    private final class Work: LoopCancellable {
        private let loop: EventLoop
        private let cancelled: @Sendable (_ onItsLoop: Bool) -> Void

        init(on loop: EventLoop, cancelled: @escaping @Sendable (Bool) -> Void) {
            self.loop = loop
            self.cancelled = cancelled
        }

        func cancel() { cancelled(loop.isCurrent) }
    }

    @Test("On the loop it does so at once, and only once")
    func onTheLoop() async throws {
        try await withLoop { loop in
            let cancels = Lock(0)
            let atOnce = try await loop.perform {
                let disposable = LoopDisposable(
                    Work(on: loop) { _ in cancels.withLock { $0 += 1 } }, on: loop)
                disposable.dispose()
                let atOnce = cancels.withLock { $0 }
                disposable.dispose()
                return atOnce
            }
            #expect(atOnce == 1)
            #expect(cancels.withLock { $0 } == 1)
        }
    }

    @Test("From another thread it does so on the loop, and only once")
    func fromElsewhere() async throws {
        try await withLoop { loop in
            let places = Lock<[Bool]>([])
            let disposable = try await loop.perform {
                LoopDisposable(
                    Work(on: loop) { onItsLoop in places.withLock { $0.append(onItsLoop) } }, on: loop)
            }
            disposable.dispose()
            disposable.dispose()
            // Comes after what was handed to the loop before it.
            try await loop.perform {}
            #expect(places.withLock { $0 } == [true])
        }
    }
}
