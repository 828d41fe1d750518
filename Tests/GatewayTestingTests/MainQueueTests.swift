import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayTesting

/// The test process serves the main queue, as a gateway does while its main thread waits.
@Suite("Handlers that use the main queue", .timeLimit(.minutes(1)))
struct MainQueueTests {
    @MainActor private static func onMainActor() -> Int {
        MainActor.assertIsolated()
        return 2
    }

    @Sendable private static func declare(on gateway: Gateway) {
        let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
        gateway.get("/observed") { _ in
            .parts(
                total: diary.rx.request(.total).fragment().observe(on: MainScheduler.instance).map { total in
                    MainScheduler.ensureExecutingOnScheduler()
                    return total
                })
        }
        gateway.get("/hurried") { _ in
            .parts(first: Single.just(1).observe(on: MainScheduler.instance).timeout(.milliseconds(50)))
        }
        gateway.get("/actor") { _ async throws -> Answer in .json(await onMainActor()) }
    }

    private var upstreams: StubUpstreams {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(json: "1")
        return upstreams
    }

    @Test(
        "In virtual time, a main queue that is blocked fails the request and names its route and part")
    func blocked() async throws {
        let (held, release) = (Signal(), DispatchSemaphore(value: 0))
        DispatchQueue.main.async {
            held.fire()
            _ = release.wait(timeout: .now() + 30)
        }
        defer { release.signal() }
        try await held.wait()
        try await withGateway(.virtualTime, upstreams: upstreams, declare: Self.declare) { client in
            let error = await #expect(throws: VirtualTimeStalled.self) { try await client.get("/hurried") }
            let message = try #require(error).description
            #expect(
                message.hasPrefix(
                    "GET /hurried (route /hurried, part first) waits for a MainScheduler, "
                        + "and the main queue has not run its work within 0.5 seconds of real time"))
            #expect(message.contains("remove observe(on:)"))
        }
    }

    @Test("Virtual time stands still while work waits for the main queue")
    func standsStill() async throws {
        try await withGateway(.virtualTime, upstreams: upstreams, declare: Self.declare) { client in
            for _ in 1...50 {
                let response = try await client.get("/hurried")
                #expect(response.status == .ok)
                #expect(response.elapsed == .zero)
            }
        }
    }

    @Test("On sockets and in virtual time, the main scheduler and the main actor run their work")
    func runs() async throws {
        for world in [GatewayWorld.sockets, .virtualTime] {
            try await withGateway(world, upstreams: upstreams, declare: Self.declare) { client in
                let observed = try await client.get("/observed")
                #expect(try observed.data() == #"{"total":1}"#)
                let actor = try await client.get("/actor")
                #expect(try actor.data() == "2")
            }
        }
    }
}
