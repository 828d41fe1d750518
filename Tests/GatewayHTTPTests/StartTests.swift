import Dispatch
import EventIO
import Foundation
import GatewayCore
import Glibc
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The start of a gateway", .timeLimit(.minutes(1)))
struct StartTests {
    @Test("While hooks of the start run, the admin listener says that the gateway lives, but is not ready")
    func health() throws {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let (began, release) = (Signal(), Signal())
        let configuration = try adminConfiguration { $0.logLevel = .info }
        let server = try GatewayServer(
            configuration, logs: Logs(configuration, output: pipe.writer, errors: pipe.writer)
        ) { gateway in
            gateway.onStart {}
            gateway.onStart {
                began.fire()
                try await release.wait()
            }
            gateway.onStop {}
        }
        let started = DispatchSemaphore(value: 0)
        try NativeThread.start(name: "start") {
            try? server.begin()
            server.accept()
            started.signal()
        }
        let result = Result {
            try began.waitBlocking()
            let admin = AdminTester(server)
            let ready = try admin.ask("GET /health/ready")
            #expect(ready.status == 503)
            #expect(ready.text == #"{"status":"starting"}"#)
            let live = try admin.ask("GET /health/live")
            #expect(live.status == 200)
            release.fire()
            #expect(started.wait(timeout: .now() + 30) == .success)
            #expect(try admin.ask("GET /health/ready").status == 200)
        }
        release.fire()
        server.drain()
        server.waitUntilStopped()
        close(pipe.writer)
        try result.get()
        let messages = pipe.readAll().matches(of: /"message":"([^"]+)"(?:,"hooks":(\d+))?/).map { match in
            let (_, message, hooks) = match.output
            return hooks.map { "\(message): \($0)" } ?? String(message)
        }
        #expect(
            messages == [
                "admin listening", "starting: 2", "ready", "draining", "stopping: 1", "stopped",
            ])
    }

    @Test("A drain as soon as the gateway is ready runs the hooks of the drain, and an earlier one does not")
    func drainAtReady() throws {
        for (isReady, events) in [(true, ["drain", "stop"]), (false, ["stop"])] {
            let log = EventLog()
            let server = try GatewayServer(try adminConfiguration()) { gateway in
                gateway.onDrain { log.add("drain") }
                gateway.onStop { log.add("stop") }
            }
            try server.begin()
            // As `accept()` does before all else.
            if isReady { #expect(server.phase.advance(to: .ready) == .starting) }
            server.drain()
            server.accept()
            server.waitUntilStopped()
            #expect(log.events == events)
        }
    }

    @Test("Hooks and jobs run on threads that no other task waits for")
    func background() async throws {
        let executor = BackgroundExecutor()
        let names = await withTaskGroup(of: String.self) { group in
            for _ in 0..<4 { group.addTask(executorPreference: executor) { Self.threadName } }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(names == ["background"])
    }

    private static var threadName: String {
        let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return text?.trimmingCharacters(in: .newlines) ?? ""
    }

    @Test("Each loop finds its own executor of an endpoint, and a loop of another group finds none")
    func executors() throws {
        let (group, other) = (try EventLoopGroup(count: 3), try EventLoopGroup(count: 1))
        defer {
            group.shutdown()
            other.shutdown()
        }
        let pipe = RawPipe()
        let writer = LogWriter(descriptor: pipe.writer)
        defer {
            writer.close()
            close(pipe.reader)
        }
        let log = MainQueueLog(Log(level: .error, writer: writer))
        let executors = LoopExecutors("GET /page", on: group.loops, log)
        #expect(executors.current == nil)
        let isFound = other.loops[0].runBlocking { executors.current != nil }
        #expect(!isFound)
        var found: [ObjectIdentifier] = []
        for (index, loop) in group.loops.enumerated() {
            #expect(loop.index == index)
            let own = loop.runBlocking { executors.current.map { ObjectIdentifier($0) } }
            found.append(try #require(own))
        }
        #expect(Set(found).count == 3)
    }
}
