import EventIO
import GatewayCore
import Glibc
import HTTPInbound
import HTTPModel
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// `#expect` for mutating calls.
private func check<Value: Equatable>(
    _ actual: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: sourceLocation)
}

@Suite("The log of the connection limit", .timeLimit(.minutes(1)))
struct ConnectionLimitLogTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 5_000_000_000 + milliseconds * 1_000_000)
    }

    private static let idle = ShedCounts(idle: 1)

    @Test("The first line is written at once, the next after a second with the counts since then")
    func onceASecond() {
        var schedule = LogSchedule<ShedCounts>()
        check(schedule.add(Self.idle, at: Self.at(0)), .write(Self.idle))
        check(schedule.add(Self.idle, at: Self.at(10)), .wait(until: Self.at(1000)))
        check(schedule.add(ShedCounts(slowHeads: 2, refused: 3), at: Self.at(20)), .nothing)
        // Loops may read the clock at slightly different times.
        check(schedule.add(ShedCounts(refused: 1), at: Self.at(1001)), .nothing)
        let counts = ShedCounts(idle: 1, slowHeads: 2, refused: 4)
        check(schedule.timePassed(at: Self.at(1002)), .write(counts))
        check(schedule.takeRest(), nil)
        check(schedule.add(Self.idle, at: Self.at(1003)), .wait(until: Self.at(2002)))
        check(schedule.timePassed(at: Self.at(2001)), .wait(until: Self.at(2002)))
        check(schedule.timePassed(at: Self.at(2002)), .write(Self.idle))
        check(schedule.add(Self.idle, at: Self.at(9000)), .write(Self.idle))
    }

    @Test("A flood of an hour is 3600 lines, and no count is lost")
    func flood() {
        var schedule = LogSchedule<ShedCounts>()
        var (written, added, lines) = (0, 0, 0)
        var timer: MonotonicTime?
        func perform(_ action: LogSchedule<ShedCounts>.Action) {
            switch action {
            case .nothing: break
            case .wait(let time): timer = time
            case .write(let counts):
                written += counts.refused
                lines += 1
            }
        }
        for step in 0..<360_000 {
            let now = Self.at(Int64(step) * 10)
            if let due = timer, due <= now {
                timer = nil
                perform(schedule.timePassed(at: now))
            }
            added += 1
            perform(schedule.add(ShedCounts(refused: 1), at: now))
        }
        #expect(lines == 3600)
        let rest = schedule.takeRest()?.refused ?? 0
        #expect(written + rest == added)
    }

    @Test("A gateway logs refused and closed clients at warning, at most once a second, and counts them all")
    func lines() throws {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let held = PublishSubject<JSONFragment>()
        let clock = ContinuousClock()
        let began = clock.now
        _ = try withLoggedGateway(errors: pipe.writer) { configuration in
            configuration.logLevel = .warning
            configuration.inbound.connections = 1
        } declare: { gateway in
            gateway.get("/quick") { _ in .json(1) }
            gateway.get("/held") { _ in .parts(value: held.take(1).asSingle()) }
        } _: { server in
            let busy = try RawClient(port: server.port)
            busy.send("GET /held HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            for _ in 0..<50 { #expect(try RawClient(port: server.port).get("/quick")?.status == 503) }
            held.onNext(JSONFragment(string: "1"))
            #expect(busy.receive()?.status == 200)
            for _ in 0..<10 {
                let client = try RawClient(port: server.port)
                #expect(client.get("/quick")?.status == 200)
            }
            let shed = server.settled.shed
            #expect(shed.refused == 50)
            #expect(shed.idle >= 1)
        }
        close(pipe.writer)
        let seconds = Int((clock.now - began) / .seconds(1))
        let lines = try pipe.readAll().split(separator: "\n").map {
            try JSONFragment(validating: Array($0.utf8)[...])
        }
        // The last line is written when the gateway ends.
        #expect((2...(2 + seconds)).contains(lines.count), "\(lines)")
        var refused = 0
        for line in lines {
            #expect(line[member: "message"]?.stringValue == "connection limit reached")
            #expect(line[member: "level"]?.stringValue == "warning")
            #expect(line[member: "limit"]?.intValue == 1)
            #expect(line[member: "idleClosed"]?.intValue != nil)
            #expect(line[member: "slowHeadsClosed"]?.intValue != nil)
            refused += try #require(line[member: "refused"]?.intValue)
        }
        #expect(refused == 50)
    }
}
