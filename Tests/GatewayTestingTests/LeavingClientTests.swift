import GatewayTesting
import HTTPModel
import JSONBytes
import Testing

@Suite("Test clients that leave", .timeLimit(.minutes(1)))
struct LeavingTestClientTests {
    private let upstreams = StubUpstreams()

    @Test(
        "A client that leaves gets no answer, and its upstream call is abandoned",
        arguments: GatewayWorld.allCases)
    func leaves(world: GatewayWorld) async throws {
        let slow = upstreams["diary"].on(.get, "/total").answer(.json("1").after(.seconds(3)))
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.send(.get, "/total", leavingAfter: .milliseconds(100))
            #expect(response == nil)
        }
        #expect(slow.requests.map(\.isAbandoned) == [true])
    }

    @Test("A client that would leave later gets the answer", arguments: GatewayWorld.allCases)
    func staysLongEnough(world: GatewayWorld) async throws {
        let total = upstreams["diary"].on(.get, "/total").answer(json: "1")
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.send(.get, "/total", leavingAfter: .seconds(20))
            #expect(response?.status.value == .ok)
            #expect(try response?.data() == #"{"total":1}"#)
        }
        #expect(total.requests.map(\.isAbandoned) == [false])
    }

    @Test("Cancelling a request's task abandons its upstream call", arguments: GatewayWorld.allCases)
    func cancelled(world: GatewayWorld) async throws {
        let slow = upstreams["diary"].on(.get, "/total").answer(.hangs)
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let error = await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await client.get("/total") }
                    try await client.wait(.milliseconds(100))
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
            #expect(error != nil)
        }
        #expect(slow.requests.map(\.isAbandoned) == [true])
    }

    @Test("A request of a cancelled task is not sent", arguments: GatewayWorld.allCases)
    func cancelledBefore(world: GatewayWorld) async throws {
        upstreams["diary"].on(.get, "/total").answer(json: "1")
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.get("/total")
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(upstreams.requests.isEmpty)
    }
}
