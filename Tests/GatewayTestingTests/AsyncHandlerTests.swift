import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

@testable import GatewayTesting

/// Tasks of handlers run on the clock's thread; what they hand to other threads is waited for in real time.
@Suite("Async handlers", .timeLimit(.minutes(1)))
struct AsyncHandlerTests {
    private actor Counter {
        private var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }

    @MainActor private static func onMainActor() -> Int { 3 }

    private static func onQueue() async -> Int {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: 4) }
        }
    }

    @Sendable private static func declare(on gateway: Gateway) {
        let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
        let counter = Counter()
        gateway.get("/calls") { _ async throws -> Answer in
            async let first = diary.rx.request(.total).fragment().value
            async let second = diary.rx.request(.slow).fragment().value
            let count = await counter.next()
            return .json([
                "first": .init(try await first), "second": .init(try await second), "count": .init(count),
            ])
        }
        gateway.get("/others") { _ async throws -> Answer in
            let detached = await Task.detached { 2 }.value
            let others = [detached, await onMainActor(), await onQueue()]
            return .json(others.reduce(0, +))
        }
        gateway.get("/parts") { _ in
            .parts(
                task: Part.task { try await diary.rx.request(.slow).fragment().value },
                call: diary.rx.request(.total).fragment())
        }
        gateway.get("/endless", .deadline(.seconds(3))) { _ async throws -> Answer in
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            return try await withTaskCancellationHandler {
                for await number in stream { return .json(number) }
                throw CancellationError()
            } onCancel: {
                continuation.finish()
            }
        }
        gateway.get("/never", .deadline(.seconds(3))) { _ in .parts(never: Single<JSONFragment>.never()) }
    }

    /// For tests whose other threads answer, so that a busy machine does not fail them.
    private static let patient = GatewayWorld.virtualTime(patience: .seconds(5))

    private var upstreams: StubUpstreams {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.json("1").after(.milliseconds(300)))
        upstreams["diary"].on(.get, "/slow").answer(.json("2").after(.milliseconds(800)))
        return upstreams
    }

    @Test("Child tasks, actors and calls of a handler take the virtual time of the slowest call")
    func children() async throws {
        try await withGateway(.virtualTime, upstreams: upstreams, declare: Self.declare) { client in
            for number in 1...100 {
                let response = try await client.get("/calls")
                #expect(try response.data() == #"{"first":1,"second":2,"count":\#(number)}"#)
                #expect(response.elapsed == .milliseconds(800))
            }
        }
    }

    @Test("Work on the main actor, in a detached task and on a queue is awaited and takes no virtual time")
    func otherThreads() async throws {
        try await withGateway(Self.patient, upstreams: upstreams, declare: Self.declare) { client in
            for _ in 0..<20 {
                let response = try await client.get("/others")
                #expect(try response.data() == "9")
                #expect(response.elapsed == .zero)
            }
        }
    }

    @Test("A part's task and a call run at the same time", arguments: GatewayWorld.allCases)
    func parts(world: GatewayWorld) async throws {
        try await withGateway(world, upstreams: upstreams, declare: Self.declare) { client in
            let response = try await client.get("/parts")
            #expect(try response.data() == #"{"task":2,"call":1}"#)
            // The timers of real upstreams have a resolution of milliseconds.
            #expect(response.elapsed >= .milliseconds(799))
            if world == .virtualTime { #expect(response.elapsed == .milliseconds(800)) }
        }
    }

    @Test("Many async requests at once are answered at the same virtual time")
    func manyAtOnce() async throws {
        try await withGateway(.virtualTime, upstreams: upstreams, declare: Self.declare) { client in
            let times = try await withThrowingTaskGroup(of: Duration.self) { group in
                for _ in 0..<50 { group.addTask { try await client.get("/calls").elapsed } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(times == Array(repeating: .milliseconds(800), count: 50))
        }
    }

    @Test("A handler that awaits something endless fails the request with its name")
    func endless() async throws {
        try await withGateway(
            .virtualTime(patience: .milliseconds(50)), upstreams: upstreams, declare: Self.declare
        ) { client in
            let error = await #expect(throws: VirtualTimeStalled.self) { try await client.get("/endless") }
            #expect(try #require(error).waiting == ["GET /endless"])
            #expect(
                try #require(error).description.hasPrefix(
                    "no event is left in virtual time, and no other thread continued "
                        + "GET /endless (route /endless, outside all parts) within 0.05 s"))
            // The gateway still answers.
            let response = try await client.get("/calls")
            #expect(response.status == .ok)
        }
    }

    @Test("A pipeline that never ends fails the request, and is answered at its deadline if the test waits")
    func never() async throws {
        try await withGateway(
            .virtualTime(patience: .milliseconds(50)), upstreams: upstreams, declare: Self.declare
        ) { client in
            let error = await #expect(throws: VirtualTimeStalled.self) { try await client.get("/never") }
            #expect(try #require(error).description.contains("GET /never (route /never, part never)"))
            async let late = client.get("/never")
            try await client.wait(.seconds(4))
            let response = try await late
            #expect(response.status == .gatewayTimeout)
            #expect(response.elapsed == .seconds(3))
        }
    }

    @Test("A test on the main actor sends requests in virtual time")
    @MainActor func mainActorTest() async throws {
        try await withGateway(Self.patient, upstreams: upstreams, declare: Self.declare) { client in
            MainActor.assertIsolated()
            let response = try await client.get("/parts")
            #expect(response.elapsed == .milliseconds(800))
        }
    }

    @Test("A detached task of the test sends a request in virtual time")
    func detachedClient() async throws {
        try await withGateway(Self.patient, upstreams: upstreams, declare: Self.declare) { client in
            let response = try await Task.detached { try await client.get("/parts") }.value
            #expect(response.elapsed == .milliseconds(800))
        }
    }
}
