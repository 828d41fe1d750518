import Dispatch
import EventIO
import Locking
import TestSupport
import Testing

@Suite("Loop-bound values", .timeLimit(.minutes(1)))
struct LoopBoundTests {
    /// Calls a closure when it is released.
    private final class Guest {
        private let ended: @Sendable () -> Void

        init(ended: @escaping @Sendable () -> Void) {
            self.ended = ended
        }

        deinit {
            ended()
        }
    }

    @Test("A value is released on its loop even if another thread drops the last reference")
    func endsAtHome() async throws {
        try await withLoop { loop in
            let isHome = try await withDeadline("the value has not been released") { continuation in
                loop.execute {
                    let bound = LoopBound(
                        Guest { continuation.resume(returning: loop.isCurrent) }, loop: loop)
                    // The closure holds the last reference once this one has returned.
                    DispatchQueue.global().async { withExtendedLifetime(bound) {} }
                }
            }
            #expect(isHome)
        }
    }

    @Test("After its loop has ended, a value is released with its last reference")
    func outlivesItsLoop() async throws {
        let ends = Lock(0)
        var kept: LoopBound<Guest>?
        try await withLoop { loop in
            kept = try await loop.perform {
                LoopBound(Guest { ends.withLock { $0 += 1 } }, loop: loop)
            }
        }
        #expect(ends.withLock { $0 } == 0)
        kept = nil
        #expect(kept == nil && ends.withLock { $0 } == 1)
    }

    @Test("A lazy value is made once, on the loop, at its first use")
    func madeAtFirstUse() async throws {
        let makings = Lock<[Bool]>([])
        let ends = Lock<[Bool]>([])
        try await withLoop { loop in
            var bound: LoopBound<Guest>? = LoopBound(on: loop) {
                makings.withLock { $0.append(loop.isCurrent) }
                return Guest { ends.withLock { $0.append(loop.isCurrent) } }
            }
            #expect(makings.withLock { $0 }.isEmpty)
            let isSame = try await loop.perform { [bound] in
                let first = bound?.value
                return first != nil && bound?.value === first
            }
            #expect(isSame)
            bound = nil
            #expect(bound == nil)
        }
        #expect(makings.withLock { $0 } == [true])
        #expect(ends.withLock { $0 } == [true])
    }

    @Test("A lazy value that is never used is never made")
    func neverMade() async throws {
        let makings = Lock(0)
        try await withLoop { loop in
            _ = LoopBound(on: loop) {
                makings.withLock { $0 += 1 }
                return Guest {}
            }
        }
        #expect(makings.withLock { $0 } == 0)
    }
}
