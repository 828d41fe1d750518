import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@Suite("Values that requests share", .timeLimit(.minutes(1)))
struct SharedValueTests {
    /// Serves `/total`, which is shared for a minute, and `/days/{date}`, at most two of which are kept.
    private func withTotal(
        _ upstreams: StubUpstreams, stale: Duration? = nil, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: (TestClient) async throws -> Void
    ) async throws {
        try await withGateway(
            .virtualTime, upstreams: upstreams,
            declare: { gateway in
                var policy = CallPolicy()
                policy.retry = .never
                let diary = gateway.provider(DiaryAPI.self, upstream: "diary", policy: policy)
                let total = gateway.shared("total", for: .seconds(60), stale: stale, within: limit) {
                    diary.rx.request(.total).fragment()
                }
                let days = gateway.shared("days", by: String.self, for: .seconds(60), limit: 2) { date in
                    try await diary.rx.request(.weights(date, half: nil)).fragment().value
                }
                gateway.get("/total") { _ in .parts(total: total) }
                gateway.get("/async") { _ async throws -> Answer in .fragment(try await total.value) }
                gateway.get("/days/{date}") { request in
                    .parts(day: days.single(for: try request.path("date", as: String.self)))
                }
                gateway.delete("/total") { _ in
                    total.forget()
                    return .json(true)
                }
                gateway.delete("/days/{date}") { request in
                    days.forget(try request.path("date", as: String.self))
                    return .json(true)
                }
            }, isolation: isolation, body)
    }

    @Test("A failure is not kept, and all that wait for it get it")
    func failures() async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/total").answers(
            .status(.serviceUnavailable).after(.milliseconds(100)), .json("1"))
        try await withTotal(upstreams) { client in
            async let first = client.get("/total")
            async let second = client.get("/total")
            for status in [try await first.status, try await second.status] {
                #expect(status == .serviceUnavailable)
            }
            #expect(stub.requests.count == 1)
            #expect(try await client.get("/total").data() == #"{"total":1}"#)
            #expect(try await client.get("/async").data() == "1")
            #expect(stub.requests.count == 2)
        }
    }

    @Test("An old value is used while a new one is loaded, and not longer than it may be stale")
    func staleValues() async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/total").answers(
            .json("1"), .json("2").after(.milliseconds(100)), .json("3").after(.milliseconds(100)))
        try await withTotal(upstreams, stale: .seconds(30)) { client in
            #expect(try await client.get("/total").data() == #"{"total":1}"#)
            try await client.wait(.seconds(59))
            #expect(try await client.get("/total").data() == #"{"total":1}"#)
            #expect(stub.requests.count == 1)

            try await client.wait(.seconds(2))
            for _ in 1...2 {
                let old = try await client.get("/total")
                #expect(try old.data() == #"{"total":1}"#)
                #expect(old.elapsed == .zero)
            }
            try await client.wait(.milliseconds(200))
            #expect(try await client.get("/total").data() == #"{"total":2}"#)
            #expect(stub.requests.count == 2)

            try await client.wait(.seconds(91))
            let new = try await client.get("/total")
            #expect(try new.data() == #"{"total":3}"#)
            #expect(new.elapsed == .milliseconds(100))
            #expect(stub.requests.count == 3)
        }
    }

    @Test("If a new value cannot be loaded, the old one is used, and loads are a second apart")
    func failedRefresh() async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/total").answers(
            .json("1"), .status(.serviceUnavailable), .status(.serviceUnavailable), .json("2"))
        try await withTotal(upstreams) { client in
            _ = try await client.get("/total")
            try await client.wait(.seconds(61))
            for calls in [2, 2, 3, 3, 4] {
                #expect(try await client.get("/total").data() == #"{"total":1}"#)
                // The call ends, and the pause of every second time.
                try await client.wait(.milliseconds(600))
                #expect(stub.requests.count == calls)
            }
            #expect(try await client.get("/total").data() == #"{"total":2}"#)
        }
    }

    @Test("A load that takes too long is 504 for all, and the next request loads again")
    func overdue() async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/total").answers(.hangs, .json("1"))
        try await withTotal(upstreams, within: .seconds(2)) { client in
            let response = try await client.get("/total")
            #expect(response.status == .gatewayTimeout)
            #expect(try response.error("reason") == "http_response_timeout")
            #expect(response.elapsed == .seconds(2))
            #expect(try await client.get("/total").data() == #"{"total":1}"#)
            #expect(stub.requests.count == 2)
        }
    }

    @Test("A client that leaves does not end the load")
    func leavingClient() async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/total").answer(.json("1").after(.milliseconds(100)))
        try await withTotal(upstreams) { client in
            #expect(try await client.send(.get, "/total", leavingAfter: .milliseconds(10)) == nil)
            try await client.wait(.milliseconds(100))
            let response = try await client.get("/total")
            #expect(try response.data() == #"{"total":1}"#)
            #expect(response.elapsed == .zero)
            #expect(stub.requests.count == 1)
        }
    }

    @Test("A forgotten value is loaded again, and a load that began before is not kept")
    func forgotten() async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/total").answers(
            .json("1").after(.milliseconds(100)), .json("2").after(.milliseconds(100)))
        try await withTotal(upstreams) { client in
            async let before = client.get("/total")
            try await client.wait(.milliseconds(50))
            _ = try await client.delete("/total")
            let after = try await client.get("/total")
            #expect(try await before.data() == #"{"total":1}"#)
            #expect(try after.data() == #"{"total":2}"#)
            #expect(try await client.get("/total").data() == #"{"total":2}"#)
            #expect(stub.requests.count == 2)
        }
    }

    @Test("Beyond the limit, the value that was not asked for in the longest time is forgotten")
    func limit() async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/weights/{date}").answer(json: "1")
        try await withTotal(upstreams) { client in
            for date in ["a", "b", "a", "c", "a", "b"] {
                let answer = try await client.get("/days/\(date)").data()
                #expect(answer == #"{"day":1}"#)
            }
        }
        #expect(stub.requests.map { $0.parameters["date"] } == ["a", "b", "c", "b"])
    }

    @Test("More loads at once than values may be kept are refused")
    func tooManyLoads() async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/weights/{date}").answer(
            .json("1").after(.milliseconds(100)))
        try await withTotal(upstreams) { client in
            async let first = client.get("/days/a")
            async let second = client.get("/days/b")
            try await client.wait(.milliseconds(50))
            let third = try await client.get("/days/c")
            #expect(third.status == .serviceUnavailable)
            for response in [try await first, try await second] { #expect(response.status == .ok) }
            #expect(try await client.get("/days/c").status == .ok)
        }
        #expect(stub.requests.count == 3)
    }

    @Test("The test's end cancels a load before the hooks of the stop", arguments: GatewayWorld.allCases)
    func endsBeforeStop(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.hangs)
        let log = EventLog()
        try await withGateway(
            world, upstreams: upstreams,
            declare: { gateway in
                let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
                let total = gateway.shared("total", for: .seconds(60)) { () async throws -> JSONFragment in
                    do {
                        return try await diary.rx.request(.total).fragment().value
                    } catch {
                        log.add("\(type(of: error))")
                        throw error
                    }
                }
                gateway.get("/total", .deadline(.milliseconds(100))) { _ in .parts(total: total) }
                gateway.onStop { log.add("stop") }
            }
        ) { client in
            async let response = client.get("/total")
            try await client.wait(.milliseconds(200))
            #expect(try await response.status == .gatewayTimeout)
        }
        #expect(log.events == ["CancellationError", "stop"])
    }

    private enum Tenant {
        @TaskLocal static var current = "nobody"
    }

    @Test("A load sees no task-local value of the request that begins it", arguments: GatewayWorld.allCases)
    func taskLocals(world: GatewayWorld) async throws {
        try await withGateway(
            world,
            declare: { gateway in
                let tenant = gateway.shared("tenant", for: .seconds(60)) { () async throws -> String in
                    Tenant.current
                }
                gateway.get("/tenant") { _ async throws -> Answer in
                    try await Tenant.$current.withValue("shop") { () async throws -> Answer in
                        .json(["own": .init(Tenant.current), "loaded": .init(try await tenant.value)])
                    }
                }
            }
        ) { client in
            let response = try await client.get("/tenant")
            #expect(try response.data() == #"{"own":"shop","loaded":"nobody"}"#)
        }
    }

    @Test("A name that is used twice, and impossible times and limits, are faults of the declaration")
    func faults() async {
        let error = await #expect(throws: GatewayDeclarationError.self) {
            try await withGateway(
                .virtualTime,
                declare: { gateway in
                    _ = gateway.shared("rates", for: .seconds(1)) { () async throws -> Int in 1 }
                    _ = gateway.shared("rates", for: .seconds(1)) { () async throws -> Int in 1 }
                    _ = gateway.shared(
                        "days", by: Int.self, for: .zero, stale: .seconds(-1), within: .zero, limit: 0
                    ) { (day: Int) async throws -> Int in day }
                }
            ) { _ in }
        }
        #expect(
            error?.faults == [
                "the shared value rates is declared twice: give each one a name of its own",
                "the shared value days needs a time above zero",
                "the shared value days cannot be stale for less than zero",
                "the shared value days needs a limit above zero",
                "the shared value days needs a limit of 1 value or more",
            ])
    }
}
