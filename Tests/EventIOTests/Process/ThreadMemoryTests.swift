import EventIO
import Foundation
import TestSupport
import Testing

@Suite("Memory of a thread", .timeLimit(.minutes(1)))
struct ThreadMemoryTests {
    private struct Refused: Error {}

    /// What a thread makes.
    private final class Contents: Sendable {
        let memory: ThreadMemory
        let thread = pthread_self()

        init(_ memory: ThreadMemory) { self.memory = memory }
    }

    @Test("The thread lives as long as what it has made, so that no other thread mixes its own with that")
    func lifetime() async throws {
        let kept = try ThreadMemory.value(by: "kept") { Contents($0) }
        var freed: Contents? = try ThreadMemory.value(by: "freed") { Contents($0) }
        #expect(freed?.thread != kept.thread)
        weak let left = freed
        freed = nil
        #expect(left == nil)
        try await threadsEnd(named: "freed")
        // Its thread is the older one.
        #expect(threadCount(named: "kept") == 1)
        withExtendedLifetime(kept) {}
    }

    @Test("The thread keeps nothing of a call that fails, and ends")
    func failure() async throws {
        weak var isKept: Signal?
        do {
            let signal = Signal()
            isKept = signal
            #expect(throws: Refused.self) {
                try ThreadMemory.value(by: "failed") { _ in
                    signal.fire()
                    throw Refused()
                }
            }
            #expect(signal.count == 1)
        }
        #expect(isKept == nil)
        try await threadsEnd(named: "failed")
    }
}
