import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import RxTesting
import TestWaiting
import Testing

/// Keeps the task of a call, as an app's cache does.
private actor TaskCache {
    private var task: Task<JSONFragment, any Error>?
    private let make: @Sendable () -> Task<JSONFragment, any Error>

    init(_ make: @escaping @Sendable () -> Task<JSONFragment, any Error>) { self.make = make }

    func value() async throws -> JSONFragment {
        let task = task ?? make()
        self.task = task
        return try await task.value
    }
}

@Suite("A task that outlives its request", .noLeaks, .timeLimit(.minutes(1)))
struct OutlivingTaskTests {
    private let users = TwoUsers()

    private func declareCache(isDetached: Bool) {
        let diary = users.diary
        let cache = TaskCache {
            let make: @Sendable () -> Task<JSONFragment, any Error> = {
                Task { try await diary.rx.request(.recent).fragment().value }
            }
            return isDetached ? CallContext.detached(make) : make()
        }
        for (path, deadline) in TwoUsers.deadlines {
            users.gateway.get(path, .deadline(deadline)) { _ async throws -> Answer in
                .fragment(try await cache.value())
            }
        }
    }

    @Test("The cached task of an actor has no request's deadline, id and trace", arguments: [false, true])
    func cachedTask(isDetached: Bool) async throws {
        declareCache(isDetached: isDetached)
        try await users.expectDeadlineOfAOnly()
    }

    @Test("A cached task that is detached carries no credentials")
    func detachedCredentials() async throws {
        users.forward()
        declareCache(isDetached: true)
        try await users.expectDeadlineOfAOnly()
    }

    @Test("A cached task that would carry the first user's credentials is a fault of the endpoint")
    func cachedCredentials() async throws {
        users.forward()
        declareCache(isDetached: false)
        let first = try users.ask("a")
        #expect(try await users.reply(first).status == 500)
        users.expectFault(of: "GET /a: a call to diary began in a Task of its own")
        #expect(users.calls.isEmpty)
        // B gets the kept failure, which is reported for B too.
        #expect(try await users.reply(try users.ask("b")).status == 500)
        #expect(users.bench.incidents.map(\.route) == ["/a", "/b"])
    }

    @Test("Calls of a handler's own task, child tasks, actors and pipelines belong to the request")
    func structured() async throws {
        users.forward()
        let diary = users.diary
        let total: @Sendable () async throws -> JSONFragment = {
            try await diary.rx.request(.total).fragment().value
        }
        let others = TaskCache { Task { .null } }
        // One element: a second one may be asked for before the stream is cancelled, and be a call after the
        // end.
        let isAsked = Lock(false)
        let once: @Sendable () async -> JSONFragment? = {
            isAsked.withLock { wasAsked in
                defer { wasAsked = true }
                return wasAsked
            } ? nil : try? await total()
        }
        users.gateway.get("/a") { _ async throws -> Answer in
            async let child = total()
            _ = try await others.value()
            let own = try await total()
            try await withThrowingTaskGroup(of: JSONFragment.self) { group in
                group.addTask { try await total() }
                try await group.waitForAll()
            }
            _ = try await Single.create(work: total).value
            for try await _ in AsyncStream(unfolding: once).asObservable().take(1).values {}
            return .parts(child: try await child, own: own, part: Part.task { try await total() })
        }
        let reply = try await users.reply(try users.ask("a"))
        #expect(reply["/data"] == #"{"child":2,"own":2,"part":2}"#)
        #expect(users.calls.count >= 6)
        #expect(Set(users.calls) == ["total a Bearer a"])
        #expect(users.bench.incidents.isEmpty)
    }

    /// Answers at once, and calls in a task that goes on.
    private func declareLateTask(_ signal: Signal, ended: Signal = Signal()) {
        users.gateway.get("/a") { [diary = users.diary] _ in
            Task {
                defer { ended.fire() }
                try await signal.wait()
                _ = try await diary.rx.request(.total).fragment().value
            }
            return .json(1)
        }
    }

    @Test("A task that goes on after the answer calls without the request's fields")
    func lateTask() async throws {
        let signal = Signal()
        declareLateTask(signal)
        #expect(try await users.reply(try users.ask("a")).status == 200)
        signal.fire()
        try await users.wait(calls: 1)
        #expect(users.calls == ["total"])
    }

    @Test("A late task that would carry the user's credentials is reported, though nobody awaits it")
    func lateCredentials() async throws {
        users.forward()
        let (signal, ended) = (Signal(), Signal())
        declareLateTask(signal, ended: ended)
        #expect(try await users.reply(try users.ask("a")).status == 200)
        signal.fire()
        try await users.wait(incidents: 1)
        try await poll(while: users.runDue { ended.count == 0 }) { "the task still waits" }
        users.expectFault(of: "GET /a: a call to diary began after the end of the request")
        #expect(users.calls.isEmpty)
    }

    @Test("The task that streams an answer belongs to the request until its end")
    func streamed() async throws {
        users.forward()
        users.gateway.get("/a") { [diary = users.diary, weak users] _ in
            let pieces = AsyncThrowingStream<[UInt8], any Error> { [weak users] in
                let isLast = users?.calls.count == 1
                let total = try await diary.rx.request(.total).fragment().value
                return isLast ? nil : Array(total.description.utf8)
            }
            return .stream(pieces, contentType: "text/plain")
        }
        let answer = try await users.reply(try users.ask("a"))
        for try await piece in try #require(answer.response.stream) {
            #expect(Array(piece) == Array("2".utf8))
        }
        #expect(users.calls == ["total a Bearer a", "total a Bearer a"])
    }
}
