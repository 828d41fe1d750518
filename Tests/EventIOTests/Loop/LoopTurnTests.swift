import Locking
import Rx
import TestSupport
import Testing

@testable import EventIO

@Suite("Turns of a loop", .timeLimit(.minutes(1)))
struct LoopTurnTests {
    /// What happened, and in which wake of the loop.
    private final class Journal: Sendable {
        let entries = Lock<[(what: String, wake: Int64)]>([])

        func note(_ what: String, on loop: EventLoop) {
            entries.withLock { $0.append((what, loop.wakeCount)) }
        }

        var names: [String] { entries.withLock { $0.map(\.what) } }
        var wakes: Set<Int64> { entries.withLock { Set($0.map(\.wake)) } }
    }

    /// Keeps the loop busy for longer than a turn.
    private static func work() {
        let began = MonotonicTime.clock()
        while .clock() - began < LoopTurn.length {}
    }

    private final class Waiting: TurnWork {
        let name: String
        let loop: EventLoop
        let journal: Journal
        let isLong: Bool

        init(_ name: String, _ loop: EventLoop, _ journal: Journal, isLong: Bool = true) {
            self.name = name
            self.loop = loop
            self.journal = journal
            self.isLong = isLong
        }

        func turnBegins() {
            journal.note(name, on: loop)
            if isLong { LoopTurnTests.work() }
        }
    }

    /// Tells in which wake a timer fires.
    private final class Alarm: TimerTarget, Sendable {
        let wakes = Inbox<Int64>()
        private let loop: EventLoop

        init(_ loop: EventLoop) { self.loop = loop }

        func timerFired(_ token: TimerToken) { wakes.put(loop.wakeCount) }
    }

    private static func client(_ number: UInt8) -> AddressPrefix? {
        SocketAddress(host: "127.0.0.\(number)", port: 0).map { AddressPrefix($0) }
    }

    @Test("What waits for a turn has it by client, and the loop looks for more in between")
    func clients() async throws {
        try await withLoop { loop in
            let journal = Journal()
            try await loop.perform {
                for number in 1...3 {
                    loop.awaitTurn(Waiting("a\(number)", loop, journal), for: Self.client(1))
                }
                loop.awaitTurn(Waiting("b1", loop, journal), for: Self.client(2))
                loop.awaitTurn(Waiting("c1", loop, journal), for: nil)
            }
            try await poll(while: journal.names.count < 5) { "\(journal.names)" }
            #expect(journal.names == ["a1", "b1", "c1", "a2", "a3"])
            #expect(journal.wakes.count == 5)
        }
    }

    @Test("What takes no time has its turn in the same wake as the rest, and then the loop sleeps")
    func short() async throws {
        try await withLoop { loop in
            let journal = Journal()
            try await loop.perform {
                for number in 1...3 {
                    loop.awaitTurn(Waiting("\(number)", loop, journal, isLong: false), for: nil)
                }
            }
            try await poll(while: journal.names.count < 3) { "\(journal.names)" }
            #expect(journal.wakes.count == 1)
            // The timer wakes the loop, and a loop that does not sleep wakes all the time.
            let alarm = Alarm(loop)
            let before = try await loop.perform {
                _ = loop.setTimer(after: .milliseconds(20), target: alarm)
                return loop.wakeCount
            }
            let after = try await alarm.wakes.next()
            #expect(after - before <= 2)
        }
    }

    /// Reads, and keeps the loop busy with each read.
    private final class BusyReader: StreamHandler {
        private let name: String
        private let loop: EventLoop
        private let journal: Journal

        init(_ name: String, _ loop: EventLoop, _ journal: Journal) {
            self.name = name
            self.loop = loop
            self.journal = journal
        }

        func streamReceived(_ bytes: UnsafeRawBufferPointer) {
            journal.note(name + String(decoding: bytes, as: UTF8.self), on: loop)
            LoopTurnTests.work()
        }

        func streamReachedEnd() { journal.note(name + "-end", on: loop) }
        func streamFailed(_ error: SocketError) {}
    }

    @Test("Streams that are ready together are read in turns, and that of another client is not last")
    func streams() async throws {
        try await withLoop { loop in
            let journal = Journal()
            let (listening, address) = RawSocket.listening()
            defer { listening.close() }
            let peers = try (0..<9).map { _ in try RawSocket(connectedTo: address) }
            defer { for peer in peers { peer.close() } }
            let descriptors = peers.map { _ in
                let accepted = listening.accept()
                accepted.makeNonBlocking()
                return accepted.descriptor
            }
            let held = Signal()
            let release = Signal()
            try await loop.perform {
                for (index, descriptor) in descriptors.enumerated() {
                    // The last one has another client.
                    let host = index < 8 ? "127.0.0.1" : "127.0.0.2"
                    guard let remote = SocketAddress(host: host, port: 1) else { return }
                    let stream = SocketStream(adopting: descriptor, remoteAddress: remote, loop: loop)
                    stream.start(handler: BusyReader(index < 8 ? "a" : "b", loop, journal))
                }
            }
            loop.execute {
                held.fire()
                try? release.waitBlocking()
            }
            try await held.wait()
            for peer in peers {
                peer.send(utf8("x"))
                peer.endWriting()
            }
            release.fire()
            try await poll(while: journal.names.count < 18) { "\(journal.names)" }
            let place = journal.names.firstIndex(of: "bx") ?? 99
            #expect(place <= 4, "\(journal.names)")
            #expect(journal.names.count { $0.hasSuffix("-end") } == 9)
            #expect(journal.wakes.count >= 4)
        }
    }

    @Test("Work from other threads is performed in several turns, in order")
    func remoteWork() async throws {
        try await withLoop { loop in
            let journal = Journal()
            let (held, release) = (Signal(), Signal())
            loop.execute {
                held.fire()
                try? release.waitBlocking()
            }
            try await held.wait()
            for number in 0..<16 {
                loop.execute {
                    journal.note("\(number)", on: loop)
                    Self.work()
                    loop.execute { journal.note("after \(number)", on: loop) }
                }
            }
            release.fire()
            try await poll(while: journal.names.count < 32) { "\(journal.names)" }
            #expect(journal.names == (0..<16).map { "\($0)" } + (0..<16).map { "after \($0)" })
            #expect(journal.wakes.count >= 4)
        }
    }

    private final class BusyTimer: TimerTarget {
        private let loop: EventLoop
        private let journal: Journal

        init(_ loop: EventLoop, _ journal: Journal) {
            self.loop = loop
            self.journal = journal
        }

        func timerFired(_: TimerToken) {
            journal.note("fired", on: loop)
            LoopTurnTests.work()
        }
    }

    @Test("Timers that are due together fire in several turns")
    func timers() async throws {
        try await withLoop { loop in
            let journal = Journal()
            try await loop.perform {
                for _ in 0..<32 {
                    _ = loop.setTimer(after: .milliseconds(5), target: BusyTimer(loop, journal))
                }
            }
            try await poll(while: journal.names.count < 32) { "\(journal.names.count) of 32" }
            #expect(journal.wakes.count >= 4)
        }
    }
}
