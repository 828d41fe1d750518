import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

@testable import GatewayTesting

/// What other clocks decide cannot be tested in virtual time, and does not pass there unnoticed.
@Suite("Waits on other clocks in virtual time", .timeLimit(.minutes(1)))
struct ForeignWaitTests {
    @Sendable private static func declare(on gateway: Gateway) {
        let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
        let queue = SerialDispatchQueueScheduler(qos: .default)
        gateway.get("/total") { _ in .parts(total: diary.rx.request(.total).fragment()) }
        gateway.get("/sleep", .deadline(.milliseconds(300))) { _ async throws -> Answer in
            try await Task.sleep(for: .seconds(60))
            return .json(1)
        }
        gateway.get("/moods/{id}") { _ in
            .parts(
                total: diary.rx.request(.total).fragment(),
                mood: Part.task {
                    try await Task.sleep(for: .seconds(60))
                    return "sunny"
                })
        }
        gateway.get("/after") { _ in
            .parts(
                late: Single<Int>.create { observer in
                    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60)) {
                        observer(.success(1))
                    }
                    return Disposables.create()
                })
        }
        gateway.get("/timeout") { _ in
            .parts(
                first: 1,
                slow: diary.rx.request(.slow).fragment().timeout(.milliseconds(500), scheduler: queue))
        }
        gateway.get("/delay") { _ in
            .parts(late: Single.just(1).delay(.milliseconds(20), scheduler: queue))
        }
        gateway.get("/pipeline") { _ in
            Observable<Int>.interval(.milliseconds(20), scheduler: queue).map { _ in 1 }.part("ticks")
                .map { .parts($0) }
        }
        gateway.get("/pieces") { _ in
            let pieces = AsyncStream<[UInt8]> { continuation in
                continuation.yield(Array("first".utf8))
                let task = Task {
                    try await Task.sleep(for: .seconds(60))
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
            return .stream(pieces, contentType: "text/plain")
        }
    }

    private var upstreams: StubUpstreams {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.json("1").after(.milliseconds(300)))
        upstreams["diary"].on(.get, "/slow").answer(.json("2").after(.milliseconds(800)))
        return upstreams
    }

    /// Returns the failure of a request, and checks that others are still answered.
    private func failure(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        try await withGateway(.virtualTime, upstreams: upstreams, declare: Self.declare) { client in
            let error = await #expect(throws: VirtualTimeStalled.self, sourceLocation: sourceLocation) {
                try await client.get(path)
            }
            // The gateway still answers.
            let next = try await client.get("/total")
            #expect(next.elapsed == .milliseconds(300))
            return try #require(error, sourceLocation: sourceLocation).description
        }
    }

    @Test(
        "A wait that nothing in the test's time ends fails the request and names its route and part",
        arguments: [
            ("/sleep", "GET /sleep (route /sleep, outside all parts)"),
            ("/moods/7", "GET /moods/7 (route /moods/{id}, part mood)"),
            ("/after", "GET /after (route /after, part late)"),
            ("/pieces", "GET /pieces (route /pieces, outside all parts)"),
        ])
    func otherThreads(path: String, place: String) async throws {
        let message = try await failure(path)
        #expect(
            message.hasPrefix(
                "no event is left in virtual time, and no other thread continued \(place) within 0.5 seconds")
        )
        #expect(message.contains("Usual causes: Task.sleep or another clock"))
        #expect(message.contains("Use request.sleep, request.scheduler"))
    }

    @Test(
        "A time on a dispatch queue that would be over fails the request, even if calls go on",
        arguments: [
            ("/timeout", "GET /timeout (route /timeout, part slow) waits for 0.5 seconds"),
            ("/delay", "GET /delay (route /delay, part late) waits for 0.02 seconds"),
            ("/pipeline", "GET /pipeline (route /pipeline, part ticks) waits for 0.02 seconds"),
        ])
    func otherClock(path: String, place: String) async throws {
        let message = try await failure(path)
        #expect(
            message.hasPrefix(
                "\(place) on a SerialDispatchQueueScheduler, whose clock is not the clock of the test"))
    }

    @Test("A time on a dispatch queue that decides nothing does not fail the request")
    func undecided() async throws {
        let queue = SerialDispatchQueueScheduler(qos: .default)
        try await withGateway(
            .virtualTime, upstreams: upstreams,
            declare: { gateway in
                let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
                gateway.get("/total") { _ in
                    .parts(total: diary.rx.request(.total).fragment().timeout(.seconds(60), scheduler: queue))
                }
            }
        ) { client in
            let response = try await client.get("/total")
            #expect(try response.data() == #"{"total":1}"#)
            #expect(response.elapsed == .milliseconds(300))
        }
    }

    @Test("Only the request that waits fails")
    func others() async throws {
        try await withGateway(.virtualTime, upstreams: upstreams, declare: Self.declare) { client in
            async let other = client.get("/total")
            await #expect(throws: VirtualTimeStalled.self) { try await client.get("/timeout") }
            let response = try await other
            #expect(response.status == .ok)
            #expect(response.elapsed == .milliseconds(300))
        }
    }
}
