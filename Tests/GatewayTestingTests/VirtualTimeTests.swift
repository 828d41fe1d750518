import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

@testable import GatewayTesting

@Suite("Virtual time")
struct VirtualTimeTests {
    @Test(
        "An answer after a delay takes exactly that time",
        arguments: [0, 1, 3, 7, 100, 333, 800, 1_100, 2_345, 4_999])
    func exact(milliseconds: Int) async throws {
        let upstreams = StubUpstreams()
        let delay = Duration.milliseconds(milliseconds)
        upstreams["diary"].on(.get, "/total").answer(.json("1").after(delay))
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.get("/total")
            #expect(response.status == .ok)
            #expect(response.elapsed == delay)
        }
    }

    @Test("Times stay exact after a year and ten thousand events, to the nanosecond")
    func farFromZero() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.json("1").after(.nanoseconds(800_000_001)))
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
            for _ in 0..<5_000 { try await client.wait(.microseconds(100_003)) }
            try await client.wait(.seconds(365 * 86_400))
            for _ in 0..<100 {
                let response = try await client.get("/total")
                #expect(response.elapsed == .nanoseconds(800_000_001))
            }
        }
    }

    @Test("The envelope tells the time of a failure in whole milliseconds of virtual time")
    func elapsedOfError() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.status(.notFound).after(.milliseconds(800)))
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
            for _ in 0..<50 {
                try await client.wait(.milliseconds(1_100))
                let response = try await client.get("/total")
                #expect(try response.error("elapsedMs") == "800")
            }
        }
    }

    @Test("A hanging upstream is given up after exactly the first-byte limit")
    func firstByteLimit() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.hangs)
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.get("/total")
            #expect(response.status == .gatewayTimeout)
            #expect(response.elapsed == .seconds(5))
        }
    }

    @Test("Requests that overlap share the clock")
    func overlapping() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/weights/{date}").answer { request in
            .json("1").after(request.parameters["date"] == "late" ? .seconds(3) : .seconds(1))
        }
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
            async let late = client.get("/weights/late")
            async let early = client.get("/weights/early")
            let responses = try await (late, early)
            #expect(responses.0.elapsed == .seconds(3))
            #expect(responses.1.elapsed == .seconds(1))
            let later = try await client.get("/weights/early")
            #expect(later.elapsed == .seconds(1))
        }
    }

    @Test("Events of one time run in the order in which they were scheduled")
    func order() {
        let clock = VirtualClock()
        let run = VirtualRun(clock, patience: .seconds(5))
        let mailbox = OrderLog()
        for (number, delay) in [(1, 20), (2, 10), (3, 20), (4, 10), (5, 0)] {
            _ = clock.schedule(after: .nanoseconds(delay)) { mailbox.add(number) }
        }
        let number = run.began("the test") { _ in }
        _ = clock.schedule(after: .nanoseconds(30)) {
            run.ended(number)
            run.end()
        }
        run.run()
        #expect(mailbox.numbers == [5, 2, 4, 1, 3])
        #expect(clock.elapsed == .nanoseconds(30))
    }

    @Test("A disposed event neither runs nor moves the clock")
    func disposed() {
        let clock = VirtualClock()
        let log = OrderLog()
        let event = clock.schedule(after: .nanoseconds(10)) { log.add(1) }
        event.dispose()
        clock.advance()
        clock.runDue()
        #expect(log.numbers == [])
        #expect(clock.elapsed == .zero)
    }

    @Test("A wait for other threads ends at once if something was added before, else at its limit")
    func waiting() {
        let clock = VirtualClock()
        clock.wake()
        #expect(clock.waitForWork(.seconds(60)))
        #expect(!clock.waitForWork(.milliseconds(1)))
        _ = clock.schedule(after: .nanoseconds(10)) {}
        #expect(clock.waitForWork(.seconds(60)))
    }

    @Test("A thousand requests from other threads are all answered", .timeLimit(.minutes(1)))
    func otherThreads() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.json("1").after(.milliseconds(5)))
        try await withGateway(
            .virtualTime(patience: .seconds(5)), upstreams: upstreams, declare: declareShop
        ) { client in
            let tasks = (0..<4).map { _ in
                Task.detached {
                    for _ in 0..<250 {
                        let response = try await client.get("/async-total")
                        #expect(response.elapsed == .milliseconds(5))
                    }
                }
            }
            for task in tasks { try await task.value }
        }
        #expect(upstreams.requests.count == 1000)
    }

    @Test("Async handlers answer at exactly the time of their calls")
    func asynchronous() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answers(.json("7").after(.milliseconds(800)), .hangs)
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.get("/async-total")
            #expect(response.status == .ok)
            #expect(response.elapsed == .milliseconds(800))
            let late = try await client.get("/total")
            #expect(late.status == .gatewayTimeout)
            #expect(late.elapsed == .seconds(5))
        }
    }
}
