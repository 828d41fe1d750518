import Dispatch
import GatewayCore
import GatewayHTTP
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayTesting

@Suite("Hooks and jobs of a gateway", .timeLimit(.minutes(1)))
struct LifecycleTests {
    private struct Locked: Error, CustomStringConvertible {
        var description: String { "the database is locked" }
    }

    @Test(
        "A hook of the start that fails ends the start, and the others of the stop run",
        arguments: GatewayWorld.allCases)
    func failedStart(world: GatewayWorld) async {
        let log = EventLog()
        let error = await #expect(throws: GatewayStartError.self) {
            try await withGateway(
                world,
                declare: { gateway in
                    gateway.onStart { log.add("first") }
                    gateway.onStart(file: "Shop/Program.swift", line: 12) { throw Locked() }
                    gateway.onStart { log.add("third") }
                    gateway.every(.milliseconds(1)) { log.add("job") }
                    gateway.onDrain { log.add("drain") }
                    gateway.onStop { log.add("stop") }
                }
            ) { _ in log.add("test") }
        }
        #expect(error?.description == "onStart at Shop/Program.swift:12 failed: the database is locked")
        #expect(log.events == ["first", "stop"])
    }

    @Test("A hook of the start that takes too long is cancelled, and ends the start")
    func longStart() async throws {
        let log = EventLog()
        let error = await #expect(throws: GatewayStartError.self) {
            try await withGateway(
                .sockets,
                declare: { gateway in
                    gateway.onStart(within: .milliseconds(20), file: "Shop/Program.swift", line: 12) {
                        defer { log.add("cancelled") }
                        try await untilCancelled()
                    }
                }
            ) { _ in log.add("test") }
        }
        #expect(error?.description == "onStart at Shop/Program.swift:12 did not end within 0.02 seconds")
        try await log.wait(for: "cancelled")
        #expect(log.events == ["cancelled"])
    }

    @Test(
        "Hooks run one after another: of the start before the first request, of the stop after the last one",
        arguments: GatewayWorld.allCases)
    func order(world: GatewayWorld) async throws {
        let log = EventLog()
        try await withGateway(
            world,
            declare: { gateway in
                gateway.onStart {
                    await Task.yield()
                    log.add("start 1")
                }
                gateway.onStop { log.add("stop 1") }
                gateway.onDrain { throw Locked() }
                gateway.group("/api") { api in
                    api.onStart { log.add("start 2") }
                    api.onDrain { log.add("drain") }
                    api.onStop { log.add("stop 2") }
                    api.get("/page") { _ in
                        log.add("request")
                        return .json(1)
                    }
                }
            }
        ) { client in
            let answer = try await client.get("/api/page").status
            #expect(answer == .ok)
        }
        #expect(log.events == ["start 1", "start 2", "request", "drain", "stop 2", "stop 1"])
    }

    @Test("Hooks call upstreams in nobody's request", arguments: GatewayWorld.allCases)
    func calls(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let total = upstreams["diary"].on(.get, "/total").answer(.json("7").after(.milliseconds(20)))
        let log = EventLog()
        try await withGateway(
            world, upstreams: upstreams,
            declare: { gateway in
                let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
                @Sendable func call() async throws {
                    log.add("\(try await diary.rx.request(.total).fragment().value)")
                }
                gateway.onStart { try await call() }
                gateway.onDrain { try await call() }
                gateway.onStop { try await call() }
            }
        ) { _ in }
        #expect(log.events == ["7", "7", "7"])
        for request in total.requests { #expect(!request.fields.contains(.xRequestID)) }
    }

    @Test("In virtual time a job runs exactly at its times, also after it has thrown")
    func times() async throws {
        let log = EventLog()
        try await withGateway(
            .virtualTime,
            declare: { gateway in
                gateway.every(.seconds(60)) {
                    log.add("run")
                    throw Locked()
                }
            }
        ) { client in
            try await client.wait(.seconds(59))
            #expect(log.count("run") == 0)
            try await client.wait(.seconds(2))
            #expect(log.count("run") == 1)
            try await client.wait(.seconds(58))
            #expect(log.count("run") == 1)
            try await client.wait(.seconds(2))
            #expect(log.count("run") == 2)
        }
        #expect(log.count("run") == 2)
    }

    @Test("Runs of a job never overlap and skip the times that they miss, and the drain cancels the last one")
    func overlap() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.json("7").after(.seconds(4)))
        let log = EventLog()
        try await withGateway(
            .virtualTime, upstreams: upstreams,
            declare: { gateway in
                let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
                gateway.every(.seconds(3)) {
                    log.add("begin")
                    do {
                        _ = try await diary.rx.request(.total).fragment().value
                        log.add("end")
                    } catch {
                        log.add("\(type(of: error))")
                    }
                }
                gateway.onStop { log.add("stop") }
            }
        ) { client in
            // From 3 s to 7 s, and from 9 s on.
            try await client.wait(.milliseconds(8_900))
            #expect(log.events == ["begin", "end"])
            try await client.wait(.milliseconds(200))
            #expect(log.events == ["begin", "end", "begin"])
        }
        #expect(log.events == ["begin", "end", "begin", "CancellationError", "stop"])
    }

    @Test("On sockets a job runs again and again until the drain")
    func realJob() async throws {
        let log = EventLog()
        let third = Signal()
        try await withGateway(
            .sockets,
            declare: { gateway in
                gateway.every(.milliseconds(2)) {
                    log.add("run")
                    third.fire()
                }
                gateway.onStop { log.add("stop") }
            }
        ) { _ in try await third.wait(count: 3) }
        #expect(log.events.last == "stop")
        #expect(log.count("stop") == 1)
    }

    @Test("A hook of the drain may take the time of its own limit, and the hooks of the stop wait for it")
    func longDrain() async throws {
        let log = EventLog()
        try await withGateway(
            .virtualTime,
            declare: { gateway in
                let scheduler = gateway.scheduler
                gateway.onDrain(within: .seconds(25)) {
                    _ = try await Single<Int>.timer(.seconds(15), scheduler: scheduler).value
                    log.add("drain")
                }
                gateway.onStop { log.add("stop") }
            }
        ) { _ in }
        #expect(log.events == ["drain", "stop"])
    }

    /// Waits for 5 ms on another clock than the test's.
    private static func hop() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { continuation.resume() }
        }
    }

    @Test("In virtual time, hooks, loads and handlers wait for other threads, whatever jobs there are")
    func otherThreads() async throws {
        let log = EventLog()
        @Sendable func hop(_ event: String) async {
            await Self.hop()
            log.add(event)
        }
        try await withGateway(
            .virtualTime(patience: .seconds(5)),
            declare: { gateway in
                gateway.onStart { await hop("start") }
                gateway.onDrain { await hop("drain") }
                gateway.onStop { await hop("stop") }
                gateway.every(.seconds(60)) { log.add("job") }
                let total = gateway.shared("total", for: .seconds(1)) { () async throws -> Int in
                    await hop("load")
                    return 7
                }
                gateway.get("/page") { _ async throws -> Answer in
                    await hop("handler")
                    return .json(try await total.value)
                }
            }
        ) { client in
            let page = try await client.get("/page")
            #expect(try page.data() == "7")
            #expect(page.elapsed == .zero)
            try await client.wait(.seconds(61))
        }
        #expect(log.events == ["start", "handler", "load", "job", "drain", "stop"])
    }

    @Test("On sockets, hooks may take longer than requests may take after the test")
    func longStop() async throws {
        let log = EventLog()
        try await withGateway(
            .sockets(patience: .milliseconds(500)),
            declare: { gateway in
                let scheduler = gateway.scheduler
                gateway.onStop {
                    _ = try await Single<Int>.timer(.milliseconds(700), scheduler: scheduler).value
                    log.add("stop")
                }
            }
        ) { _ in }
        #expect(log.events == ["stop"])
    }

    @Test("Two jobs of one name, and times that are zero, are faults of the declaration")
    func faults() async {
        let error = await #expect(throws: GatewayDeclarationError.self) {
            try await withGateway(
                .virtualTime,
                declare: { gateway in
                    gateway.every(.seconds(1), named: "tidying") {}
                    gateway.every(.seconds(1), named: "tidying") {}
                    gateway.every(.zero, named: "rates", within: .zero) {}
                    gateway.onStop(within: .zero, file: "Shop/Program.swift", line: 12) {}
                }
            ) { _ in }
        }
        #expect(
            error?.faults == [
                "the job tidying is declared twice: give each one a name of its own",
                "the job rates needs an interval of a millisecond or more",
                "the job rates needs a limit above zero",
                "onStop at Shop/Program.swift:12 needs a limit above zero",
            ])
    }
}
