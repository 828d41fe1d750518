import EventIO
import TestSupport
import Testing

@testable import HTTPInbound

@Suite("The handshakes of a wake", .timeLimit(.minutes(1)))
struct HandshakeTurnsTests {
    /// A handshake that takes its time.
    private final class Handshake: HandshakeWork {
        private let loop: EventLoop
        private let time: TimeAmount
        private(set) var wake: Int64?

        init(_ loop: EventLoop, _ time: TimeAmount) {
            self.loop = loop
            self.time = time
        }

        func handshakeTurn() {
            let began = MonotonicTime.clock()
            repeat {} while .clock() - began < time
            wake = loop.wakeCount
        }
    }

    /// The wakes of handshakes that all arrive at once, in order.
    private func wakes(_ times: [TimeAmount]) async throws -> [Int64] {
        let group = try EventLoopGroup(count: 1, name: "turns")
        defer { Task.detached { group.shutdown() } }
        let loop = group.loops[0]
        let held = try await loop.perform {
            let turns = HandshakeTurns(loop)
            let works = times.map { Handshake(loop, $0) }
            for work in works { turns.add(work) }
            return LoopBound(Held(turns, works), loop: loop)
        }
        try await poll(while: try await loop.perform { held.value.works.contains { $0.wake == nil } }) {
            "not all had their turn"
        }
        return try await loop.perform { held.value.works.compactMap(\.wake) }
    }

    private final class Held {
        let turns: HandshakeTurns
        let works: [Handshake]

        init(_ turns: HandshakeTurns, _ works: [Handshake]) {
            self.turns = turns
            self.works = works
        }
    }

    @Test("A long handshake has a wake for itself, and the others follow in order")
    func long() async throws {
        let wakes = try await wakes([TimeAmount](repeating: .milliseconds(1), count: 4))
        #expect(Set(wakes).count == 4, "each wake has one")
        #expect(wakes == wakes.sorted())
    }

    @Test("Handshakes share a wake until half a millisecond is over")
    func short() async throws {
        let wakes = try await wakes([TimeAmount](repeating: .microseconds(200), count: 9))
        #expect(wakes == wakes.sorted())
        let most = Dictionary(grouping: wakes) { $0 }.values.map(\.count).max() ?? 0
        #expect(most <= 3, "three take 0.6 ms")
    }
}
