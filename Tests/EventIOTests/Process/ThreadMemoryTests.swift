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
        var first: Contents? = try ThreadMemory.value(by: "contents-1") { Contents($0) }
        let second = try ThreadMemory.value(by: "contents-1") { Contents($0) }
        #expect(first?.thread != second.thread)
        #expect(threadCount(named: "contents-1") == 2)
        weak let isKept = first
        first = nil
        #expect(isKept == nil)
        try await threadsEnd(named: "contents-1", upTo: 1)
        withExtendedLifetime(second) {}
    }

    @Test("The thread keeps nothing of a call that fails, and ends")
    func failure() async throws {
        weak var isKept: Signal?
        do {
            let signal = Signal()
            isKept = signal
            #expect(throws: Refused.self) {
                try ThreadMemory.value(by: "contents-2") { _ in
                    signal.fire()
                    throw Refused()
                }
            }
            #expect(signal.count == 1)
        }
        #expect(isKept == nil)
        try await threadsEnd(named: "contents-2")
    }
}
