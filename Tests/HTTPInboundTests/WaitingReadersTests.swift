import EventIO
import TestSupport
import Testing

@testable import HTTPInbound

@Suite("Who is reset when too much output waits", .timeLimit(.minutes(1)), .bothCarriers)
struct WaitingReadersTests {
    private static let limits = StateLimits(InboundLimits())

    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9))
    }

    /// Returns the pace of a client that was checked at these times, with the bytes acknowledged by then.
    private static func pace(from start: Double, _ checks: (Double, Int64)...) -> ReaderPace {
        var pace = ReaderPace(at: at(start))
        for (second, acknowledged) in checks {
            pace.observe(acknowledged: acknowledged, at: at(second), limits)
        }
        return pace
    }

    @Test("A client that fills its buffer and reads nothing is overdue since its output began to wait")
    func buffer() {
        #expect(Self.pace(from: 5).dueAt == Self.at(5))
        #expect(Self.pace(from: 5, (5.1, 30_000), (5.2, 65_536), (6.2, 65_536)).dueAt == Self.at(5))
    }

    @Test("A client that reads on is due after its longest pause, at least the time between two checks")
    func steady() {
        #expect(Self.pace(from: 5, (5.2, 65_536), (6.2, 90_000)).dueAt == Self.at(7.2))
        #expect(Self.pace(from: 5, (5.2, 65_536), (5.3, 90_000)).dueAt == Self.at(6.3))
        // Its window opens every 30 s.
        let rare = Self.pace(from: 5, (5.2, 65_536), (35, 90_000), (36, 90_000), (64, 190_000))
        #expect(abs((rare.dueAt - Self.at(64 + 29.8)).nanoseconds) < 1_000)
    }

    @Test("A client that has read the output that waited before is still known to read")
    func earlierWait() {
        let earlier = Self.pace(from: 5, (5.2, 65_536), (6.2, 90_000))
        #expect(ReaderPace(at: Self.at(7), after: earlier).dueAt == Self.at(8))
        let unread = Self.pace(from: 5, (5.2, 65_536))
        #expect(ReaderPace(at: Self.at(7), after: unread).dueAt == Self.at(7))
    }

    // MARK: Choosing

    private static func reader(_ number: Int, host: Int, bytes: Int, due second: Double)
        -> WaitingReaders.Reader
    {
        WaitingReaders.Reader(
            connection: number, client: EvictionOrderTests.prefix("10.0.0.\(host)"), bytes: bytes,
            dueAt: at(second))
    }

    /// Returns the connection that is reset at second 10, and those about which the kernel is asked.
    private static func choose(
        _ readers: [WaitingReaders.Reader], news: [Int: Double] = [:]
    ) -> (reset: Int?, asked: [Int]) {
        var asked: [Int] = []
        var waiting = WaitingReaders(readers, at: at(10))
        let chosen = waiting.next { number in
            asked.append(number)
            return news[number].map(at) ?? readers.first { $0.connection == number }?.dueAt ?? at(10)
        }
        return (chosen, asked)
    }

    @Test("The client that is overdue for longest is reset, and newcomers after it")
    func longest() {
        let readers = [
            Self.reader(1, host: 1, bytes: 100, due: 8), Self.reader(2, host: 1, bytes: 100, due: 7),
            Self.reader(3, host: 1, bytes: 100, due: 10),
        ]
        #expect(Self.choose(readers).reset == 2)
        #expect(Self.choose([]).reset == nil)
    }

    @Test("The kernel is asked before a client is reset that has read on since the last check")
    func asks() {
        let readers = [
            Self.reader(1, host: 1, bytes: 100, due: 7), Self.reader(2, host: 1, bytes: 100, due: 8),
            Self.reader(3, host: 1, bytes: 100, due: 9),
        ]
        let (reset, asked) = Self.choose(readers, news: [1: 11, 2: 11])
        #expect(reset == 3)
        #expect(asked == [1, 2, 3])
    }

    @Test("Of clients that are overdue, one of the address that holds most is reset")
    func share() {
        let readers = [
            Self.reader(1, host: 1, bytes: 150, due: 1), Self.reader(2, host: 2, bytes: 100, due: 6),
            Self.reader(3, host: 2, bytes: 100, due: 5), Self.reader(4, host: 3, bytes: 900, due: 11),
        ]
        #expect(Self.choose(readers).reset == 3)
    }

    @Test(
        "Only if all clients read steadily, one of them is reset: of the address that holds most, the slowest"
    )
    func allSteady() {
        let readers = [
            Self.reader(1, host: 1, bytes: 150, due: 11), Self.reader(2, host: 2, bytes: 100, due: 13),
            Self.reader(3, host: 2, bytes: 100, due: 9),
        ]
        #expect(Self.choose(readers, news: [3: 12]).reset == 3)
    }

    // MARK: Against sockets

    @Test(
        "A client that reads gets its whole answer, while a client that came later and reads nothing is reset"
    )
    func reader() async throws {
        try await TestServer.run({
            $0.waitingAnswers = 12 << 20
            $0.spoolDirectory = nil
        }) { server in
            let steady = try server.client(receiveBuffer: 65_536)
            steady.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            // Until its buffer is full, as seen by a check.
            try await poll(
                while: try await server.on { server, _ in
                    let pace = server.serving.first??.state.readerPace
                    return pace.map { $0.settles(server.stateLimits) != nil } ?? true
                }
            ) { "no check, after \(server.log.recent)" }
            _ = try steady.read(through: "\r\n\r\n")
            var answer = try steady.read(count: 1 << 20)
            var stuck: [RawClient] = []
            while !server.log.events.contains("finished /large stalled"), stuck.count < 8 {
                let client = try server.client(receiveBuffer: 4096)
                client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
                stuck.append(client)
                try await poll(while: server.log.count("decide GET /large") < stuck.count + 1) {
                    "\(stuck.count) clients, after \(server.log.recent)"
                }
                // After the answer was written, which may reset a client.
                try await server.on { _, _ in }
            }
            #expect(server.log.count("finished /large stalled") == 1)
            answer += try steady.read(count: 3 << 20)
            #expect(answer == TestHandler.large.flatMap { $0 })
        }
    }
}
