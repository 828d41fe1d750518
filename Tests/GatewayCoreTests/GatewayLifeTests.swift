import Dispatch
import HTTPModel
import JSONBytes
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

@testable import GatewayCore

@Suite("The life of a gateway", .timeLimit(.minutes(1)))
struct GatewayLifeTests {
    /// A life whose tasks run on other threads, and whose clock only a test advances.
    private final class Life: Sendable {
        let time = VirtualTime()
        let log = EventLog()
        let life: GatewayLife

        init(_ gateway: Gateway) {
            life = GatewayLife(
                gateway.lifecycle,
                in: GatewayLife.Surroundings(
                    scheduler: time, executor: globalConcurrentExecutor, loads: SharedLoads(),
                    random: { 0 }, report: { [log] in log.add($0.description) }))
        }
    }

    @Test("A run that exceeds its limit is reported once, and the next run comes at the next time")
    func overdueRun() throws {
        let (bench, runs) = (Bench(), Signal())
        bench.gateway.every(.seconds(60), named: "tidying", within: .seconds(75)) {
            runs.fire()
            try await untilCancelled()
        }
        let life = Life(bench.gateway)
        life.life.beginJobs()
        life.time.advance(by: .seconds(60))
        life.time.advance(by: .seconds(75))
        // The run sets the timer of the next one.
        try spin(while: life.time.pending == 0) { "the run has not ended" }
        #expect(life.log.events == ["the job tidying did not end within 75.0 seconds"])
        life.time.advance(by: .milliseconds(44_900))
        #expect(runs.count == 1)
        life.time.advance(by: .milliseconds(200))
        try spin(while: runs.count == 1) { "there is no second run" }
        life.life.drain(runsHooks: false)
        try spin(while: life.time.pending > 0) { "the second run has not ended" }
        #expect(life.log.events.count == 1)
    }

    @Test("Hooks of the stop wait for a hook of the drain beyond the time that cancelled jobs get")
    func longDrain() throws {
        let bench = Bench()
        let (log, release) = (EventLog(), Signal())
        bench.gateway.onDrain(within: .seconds(25)) {
            try await release.wait()
            log.add("drain")
        }
        bench.gateway.onStop { log.add("stop") }
        let life = Life(bench.gateway)
        life.life.beginJobs()
        life.life.drain(runsHooks: true)
        life.life.stop { log.add("ended") }
        life.time.advance(by: .seconds(15))
        #expect(log.events == [])
        release.fire()
        try spin(while: log.count("ended") == 0) { "\(log.events)" }
        #expect(log.events == ["drain", "stop", "ended"])
        #expect(life.log.events == [])
    }

    @Test("The longest stop adds up what runs one after another")
    func longestStop() {
        let bench = Bench()
        let none = Life(bench.gateway).life
        #expect(none.longestStop(after: .seconds(30)) == .seconds(40))
        for _ in 1...2 { bench.gateway.onDrain {} }
        bench.gateway.onStop {}
        bench.gateway.onStop(within: .seconds(5)) {}
        // Hooks of the drain run while requests end.
        let life = Life(bench.gateway).life
        #expect(life.longestStop(after: .seconds(30)) == .seconds(55))
        #expect(life.longestStop(after: .seconds(2)) == .seconds(45))
        #expect(life.hookCounts.start == 0)
        #expect(life.hookCounts.drain == 2)
        #expect(life.hookCounts.stop == 2)
    }

    @Test("A hook and a job that a handler declares are incidents, and are not added")
    func tooLate() throws {
        let bench = Bench()
        bench.gateway.get("/page") { [weak gateway = bench.gateway] _ in
            gateway?.onStop(file: "Shop/Program.swift", line: 12) {}
            gateway?.every(.seconds(60), named: "tidying") {}
            return .json(1)
        }
        #expect(try bench.answer(.get, "/page").status == 200)
        let cure = "is declared too late, as in a handler, and does nothing; declare it next to the endpoints"
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                "onStop at Shop/Program.swift:12 \(cure)", "the job tidying \(cure)",
            ])
        #expect(bench.incidents.allSatisfy { $0.route == "/page" })
        #expect(bench.gateway.lifecycle.hooks.isEmpty)
        #expect(bench.gateway.lifecycle.jobs.isEmpty)
    }

    @Test("A value that a handler shares fails, and is an incident")
    func sharedTooLate() async throws {
        let bench = Bench()
        bench.gateway.get("/page") { [weak gateway = bench.gateway] _ async throws -> Answer in
            let total = gateway?.shared("total", for: .seconds(60)) { () async throws -> Int in 7 }
            let value = try await total?.value
            return .json(value ?? 0)
        }
        #expect(try await bench.eventualAnswer("/page").status == 500)
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                "the shared value total is declared too late, as in a handler, and does nothing; "
                    + "declare it next to the endpoints"
            ])
    }
}
