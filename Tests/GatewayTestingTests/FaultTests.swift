import GatewayTesting
import HTTPModel
import JSONBytes
import Testing

/// The stubs fail in virtual time as real connections do.
@Suite("Faults of stubs")
struct StubFaultTests {
    @Test(
        "Each fault of an upstream gives the same reason and status in both worlds",
        arguments: GatewayWorld.allCases,
        [
            (.refusesConnections, "connection_refused", .badGateway),
            (.resets, "connection_terminated", .badGateway),
            (.truncates, "http_response_incomplete", .badGateway),
        ] as [(StubUpstream.Fault, String, HTTPStatus)])
    func upstreamFaults(
        world: GatewayWorld, fault: (kind: StubUpstream.Fault, reason: String, status: HTTPStatus)
    )
        async throws
    {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(json: "[1,2,3]")
        upstreams["diary"].fault = fault.kind
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.get("/total")
            #expect(response.status == fault.status)
            #expect(try response.error("reason") == fault.reason)
            #expect(try response.error("attempts") == "3")
        }
        #expect(upstreams["diary"].requests.count == (fault.kind == .refusesConnections ? 0 : 3))
    }

    @Test(
        "Each fault of one answer gives the same reason in both worlds", arguments: GatewayWorld.allCases,
        [
            (.resets, "connection_terminated"), (.truncates, "http_response_incomplete"),
            (.json("[1,2]").truncated(), "http_response_incomplete"),
            (.status(.ok).truncated(), "http_response_incomplete"),
        ] as [(StubUpstream.Answer, String)])
    func answerFaults(world: GatewayWorld, fault: (answer: StubUpstream.Answer, reason: String)) async throws
    {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(fault.answer)
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.get("/total")
            #expect(response.status == .badGateway)
            #expect(try response.error("reason") == fault.reason)
            #expect(try response.error("attempts") == "3")
        }
    }

    @Test(
        "An upstream that hangs, or answers after the limit, is a read timeout in both worlds",
        arguments: GatewayWorld.allCases,
        [.hangs, .json("1").after(.seconds(60))] as [StubUpstream.Answer])
    func timeouts(world: GatewayWorld, answer: StubUpstream.Answer) async throws {
        let upstreams = StubUpstreams()
        let slow = upstreams["diary"].on(.get, "/slow").answer(answer)
        try await withGateway(world, upstreams: upstreams, declare: declareImpatient) { client in
            let response = try await client.get("/impatient")
            #expect(response.status == .gatewayTimeout)
            #expect(try response.error("reason") == "connection_read_timeout")
            #expect(try response.error("attempts") == "1")
            #expect(response.elapsed >= .milliseconds(60))
            if world == .virtualTime { #expect(response.elapsed == .milliseconds(60)) }
        }
        #expect(slow.requests.map(\.isAbandoned) == [true])
    }

    @Test(
        "The limit of the whole call is a response timeout in both worlds", arguments: GatewayWorld.allCases)
    func totalTimeout(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].fault = .hangs
        upstreams["diary"].on(.get, "/slow").answer(json: "1")
        try await withGateway(world, upstreams: upstreams, declare: declareImpatient) { client in
            let response = try await client.get("/hurried")
            #expect(response.status == .gatewayTimeout)
            #expect(try response.error("reason") == "http_response_timeout")
        }
    }

    @Test(
        "An upstream that refuses connections can recover, and fail again", arguments: GatewayWorld.allCases)
    func recovery(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let diary = upstreams["diary"]
        diary.on(.get, "/total").answer(json: "1")
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            for _ in 0..<2 {
                let before = try await client.get("/total")
                #expect(before.status == .ok)
                diary.fault = .refusesConnections
                let refused = try await client.get("/total")
                #expect(refused.status == .badGateway)
                #expect(try refused.error("reason") == "connection_refused")
                diary.fault = nil
                let after = try await client.get("/total")
                #expect(after.status == .ok)
            }
        }
        #expect(diary.requests.count == 4)
    }
}
