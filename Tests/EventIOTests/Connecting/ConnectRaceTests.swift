import Testing

@testable import EventIO

@Suite("Decisions of the connect race")
struct ConnectRaceTests {
    private static let start = MonotonicTime(nanoseconds: 5_000_000_000)
    private static func after(_ milliseconds: Int64) -> MonotonicTime { start + .milliseconds(milliseconds) }

    private static let one = SocketAddress.loopback(port: 1)
    private static let two = SocketAddress.loopback(port: 2)
    private static let three = SocketAddress.loopback(port: 3)
    private static let refused = SocketError(.connect, 111, subject: "one")
    private static let unreachable = SocketError(.connect, 101, subject: "two")

    private static func race(
        _ addresses: [SocketAddress], delay: TimeAmount = ConnectRace.delay, within milliseconds: Int64 = 1000
    ) -> ConnectRace {
        ConnectRace(addresses, delay: delay, deadline: after(milliseconds), now: start)
    }

    @Test("When all addresses fail at once, the race ends with the last failure")
    func allFail() {
        var race = Self.race([Self.one, Self.two])
        #expect(race.timePassed(now: Self.start) == .begin(Self.one, wake: Self.after(250)))
        #expect(race.failed(Self.refused, now: Self.after(3)) == .begin(Self.two, wake: Self.after(1000)))
        #expect(race.failed(Self.unreachable, now: Self.after(5)) == .fail(Self.unreachable))
    }

    @Test("A race that expects more addresses waits for them, and fails at the deadline")
    func noneLeft() {
        var race = ConnectRace(
            [Self.one], expectsMore: true, delay: ConnectRace.delay, deadline: Self.after(1000),
            now: Self.start)
        #expect(race.timePassed(now: Self.start) == .begin(Self.one, wake: Self.after(1000)))
        #expect(race.failed(Self.refused, now: Self.after(3)) == .wait(until: Self.after(1000)))
        var other = race
        #expect(race.timePassed(now: Self.after(1000)) == .fail(Self.refused))
        var none = other
        #expect(none.add([], now: Self.after(5)) == .fail(Self.refused))
        #expect(other.add([Self.two], now: Self.after(5)) == .begin(Self.two, wake: Self.after(1000)))
        #expect(other.failed(Self.unreachable, now: Self.after(6)) == .fail(Self.unreachable))
    }

    @Test("Addresses that come later start after the delay, and alternate with those that wait")
    func lateFamily() throws {
        let six = try (1...2).map { try #require(SocketAddress(host: "2001:db8::\($0)", port: 1)) }
        var race = ConnectRace(
            [Self.one, Self.two], expectsMore: true, delay: ConnectRace.delay, deadline: Self.after(5000),
            now: Self.start)
        #expect(race.timePassed(now: Self.start) == .begin(Self.one, wake: Self.after(250)))
        #expect(race.add(six, now: Self.after(100)) == .wait(until: Self.after(250)))
        for (index, address) in [six[0], Self.two].enumerated() {
            let now = Self.after(250 * Int64(index + 1))
            #expect(race.timePassed(now: now) == .begin(address, wake: now + .milliseconds(250)))
        }
        #expect(race.timePassed(now: Self.after(750)) == .begin(six[1], wake: Self.after(5000)))
    }

    @Test("A single address may use the whole time limit")
    func single() {
        var race = Self.race([Self.one])
        #expect(race.timePassed(now: Self.start) == .begin(Self.one, wake: Self.after(1000)))
        #expect(race.timePassed(now: Self.after(999)) == .wait(until: Self.after(1000)))
        #expect(race.timePassed(now: Self.after(1000)) == .timeOut)
    }

    @Test(
        "If an address stays silent, the next attempt starts after 250 ms, and the last one may use the remaining time"
    )
    func silent() {
        var race = Self.race([Self.one, Self.two, Self.three])
        #expect(race.timePassed(now: Self.start) == .begin(Self.one, wake: Self.after(250)))
        #expect(race.timePassed(now: Self.after(249)) == .wait(until: Self.after(250)))
        #expect(race.timePassed(now: Self.after(250)) == .begin(Self.two, wake: Self.after(500)))
        #expect(race.timePassed(now: Self.after(500)) == .begin(Self.three, wake: Self.after(1000)))
        #expect(race.timePassed(now: Self.after(1000)) == .timeOut)
    }

    @Test("A failure starts the next address at once, and attempts in progress go on")
    func failureWhileOthersGoOn() {
        var race = Self.race([Self.one, Self.two, Self.three])
        _ = race.timePassed(now: Self.start)
        _ = race.timePassed(now: Self.after(250))
        #expect(
            race.failed(Self.unreachable, now: Self.after(260)) == .begin(Self.three, wake: Self.after(1000)))
        #expect(race.failed(Self.unreachable, now: Self.after(270)) == .wait(until: Self.after(1000)))
        #expect(race.failed(Self.refused, now: Self.after(280)) == .fail(Self.refused))
    }

    @Test("The delay is 100 ms to 2 s, and less if there are too many addresses for the time limit")
    func delays() {
        for (delay, wake) in [(1, 100), (100, 100), (700, 700), (2000, 2000), (5000, 2000)]
            as [(Int64, Int64)]
        {
            var race = Self.race([Self.one, Self.two], delay: .milliseconds(delay), within: 10_000)
            #expect(race.timePassed(now: Self.start) == .begin(Self.one, wake: Self.after(wake)))
        }
        var crowded = Self.race((1...20).map { .loopback(port: $0) })
        for number in 1...20 {
            let now = Self.after(Int64(number - 1) * 50)
            let wake = number == 20 ? Self.after(1000) : now + .milliseconds(50)
            #expect(crowded.timePassed(now: now) == .begin(.loopback(port: number), wake: wake))
        }
    }

    @Test("Address families alternate, starting with the system's first choice")
    func families() throws {
        func six(_ last: Int) throws -> SocketAddress {
            try #require(SocketAddress(host: "2001:db8::\(last)", port: 1))
        }
        func four(_ last: Int) throws -> SocketAddress {
            try #require(SocketAddress(host: "192.0.2.\(last)", port: 1))
        }
        let sorted = try [six(1), six(2), six(3), four(1), four(2)]
        #expect(
            try ConnectRace.interleaved(sorted) == [six(1), four(1), six(2), four(2), six(3)])
        #expect(try ConnectRace.interleaved([four(1), four(2), six(1)]) == [four(1), six(1), four(2)])
        #expect(ConnectRace.interleaved([]) == [])
    }

    @Test(
        "A failed address is tried last for a minute or until it connects, and few failures are remembered"
    )
    func memory() {
        let memory = UnreachableAddresses(limit: 2)
        let addresses = [Self.one, Self.two, Self.three]
        #expect(memory.ordered(addresses, now: Self.start) == addresses)
        memory.failed(Self.one, now: Self.start)
        memory.failed(Self.two, now: Self.after(1))
        memory.failed(Self.three, now: Self.after(2))
        #expect(memory.ordered(addresses, now: Self.after(3)) == [Self.three, Self.one, Self.two])
        memory.connected(Self.two)
        #expect(memory.ordered(addresses, now: Self.after(3)) == [Self.two, Self.three, Self.one])
        #expect(memory.ordered(addresses, now: Self.after(60_000)) == addresses)
    }
}

@Suite("The connect race on sockets", .timeLimit(.minutes(1)))
struct RacingTests {
    @Test("A silent first address costs only the delay, and the second one connects")
    func silentFirst() async throws {
        try await withLoop { loop in
            let (silent, held) = try ConnectTests.blackHole()
            let (listening, open) = RawSocket.listening()
            let delay = TimeAmount.milliseconds(120)
            let before = MonotonicTime.clock()
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    to: [silent, open], loop: loop, timeout: patience, delay: delay, handler: $0)
            }
            #expect(try await driven.next() == .connected)
            #expect(MonotonicTime.clock() - before >= delay)
            #expect(try await driven.on { $0.remoteAddress } == open)
            let peer = listening.accept()
            peer.send(utf8("hello"))
            #expect(try await driven.bytes(5) == utf8("hello"))
            try await driven.on { $0.write(utf8("back")[...]) }
            #expect(try peer.receive(exactly: 4) == utf8("back"))
            peer.close()
            #expect(try await driven.next() == .reachedEnd)
            try await driven.on { $0.close() }
            #expect(await timerCount(of: loop).map { $0 <= 1 } == true)
            for socket in held + [listening] { socket.close() }
        }
    }

    @Test("A refused address is tried last the next time")
    func refusedIsRemembered() async throws {
        try await withLoop { loop in
            let (listening, open) = RawSocket.listening()
            let port = try #require(open.port)
            let closed = try #require(SocketAddress(host: "127.0.0.2", port: port))
            let resolver = Resolver(lookup: { _ in .success([closed, open]) })
            for _ in 0..<2 {
                let driven = try await StreamDriver.connecting(loop: loop) {
                    SocketStream.connect(
                        toHost: "two.test", port: port, resolver: resolver, loop: loop, timeout: patience,
                        handler: $0)
                }
                #expect(try await driven.next() == .connected)
                #expect(try await driven.on { $0.remoteAddress } == open)
                let ordered = resolver.unreachable.ordered([closed, open], now: .clock())
                #expect(ordered == [open, closed])
                try await driven.on { $0.close() }
            }
            listening.close()
        }
    }

    @Test("When no address answers, the race fails at the time limit and leaves no timer")
    func noneAnswers() async throws {
        try await withLoop { loop in
            let (first, heldFirst) = try ConnectTests.blackHole()
            let (second, heldSecond) = try ConnectTests.blackHole()
            let before = MonotonicTime.clock()
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    to: [first, second], loop: loop, timeout: .milliseconds(300), delay: .milliseconds(50),
                    handler: $0)
            }
            guard case .failed(let error) = try await driven.next() else {
                Issue.record("the connection did not fail")
                return
            }
            #expect(error == SocketError(.connectTimedOut, .connect, subject: second.description))
            #expect(MonotonicTime.clock() - before >= .milliseconds(300))
            #expect(await timerCount(of: loop) == 0)
            for socket in heldFirst + heldSecond { socket.close() }
        }
    }

    @Test("Closing during the race reports nothing and leaves no timer")
    func closedMeanwhile() async throws {
        try await withLoop { loop in
            let (silent, held) = try ConnectTests.blackHole()
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    to: [silent, silent], loop: loop, timeout: patience, delay: .milliseconds(100),
                    handler: $0)
            }
            try await driven.on { $0.close() }
            #expect(await timerCount(of: loop) == 0)
            #expect(try await driven.eventsUntilNow() == [])
            for socket in held { socket.close() }
        }
    }
}
