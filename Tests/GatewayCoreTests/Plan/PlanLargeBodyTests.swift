import EndpointPlans
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@testable import GatewayCore

@Suite("Bodies that take long to read", .noLeaks)
struct PlanLargeBodyTests {
    private let work = HeldWork()
    private let bench: Bench

    init() throws {
        let work = work
        bench = Bench { work.submit($0) }
        bench.transport.answer(.data("1"))
        var endpoint = PlannedEndpoint(.post, "/page")
        endpoint.body = Schema(
            #"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}}}}"#)
        endpoint.parts = .named([
            bench.part("call", "/users/{body.user.id}"),
            PlannedPart("names", .value(value("{body.list[*].name}"))),
            PlannedPart("second", .value(value("{body.list[1]}"))),
        ])
        bench.gateway.add(try bench.plan(endpoint))
    }

    private func ask(_ json: String) throws -> Pending {
        try bench.ask(.post, "/page", fields: [.contentType: "application/json"], body: json)
    }

    private static func json(padding: Int) -> String {
        """
        {"user":{"id":7},"list":[{"name":"a"},{"name":"b"},{}],"padding":"\(String(repeating: "x", count: padding))"}
        """
    }

    @Test("A large body is read apart from the loop, a small one at once, and both have the same answer")
    func apart() throws {
        let small = try ask(Self.json(padding: 0))
        #expect(work.count == 0)
        let large = try ask(Self.json(padding: EndpointPlan.longestBodyOnLoop))
        #expect(large.count == 0)
        #expect(work.count == 1)
        #expect(work.clients.withLock { $0 } == [GatewayResponder.unknownClient])
        work.run()
        // The parts start on the loop.
        #expect(bench.targets == ["/users/7"])
        bench.time.advance(by: .milliseconds(1))
        #expect(bench.targets == ["/users/7", "/users/7"])
        for pending in [small, large] {
            #expect(try pending.reply()["/data"] == #"{"call":1,"names":["a","b"],"second":{"name":"b"}}"#)
        }
    }

    @Test("A large body that breaks its rules is 400")
    func broken() throws {
        let padding = String(repeating: " ", count: EndpointPlan.longestBodyOnLoop)
        let pending = try ask(#"{"texts":[1]\#(padding)}"#)
        work.run()
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 400)
        #expect(reply.message?.contains("texts[0]") == true)
    }

    @Test("If too much waits, a large body is 503")
    func full() throws {
        work.isFull.withLock { $0 = true }
        let reply = try ask(Self.json(padding: EndpointPlan.longestBodyOnLoop)).reply()
        #expect(reply.status == 503)
        #expect(reply["/code"] == #""OVERLOADED""#)
        #expect(try ask(Self.json(padding: 0)).reply().status == 200)
    }

    @Test("A client that leaves before its body is read takes the body with it")
    func leaving() throws {
        let pending = try ask(Self.json(padding: EndpointPlan.longestBodyOnLoop))
        pending.dispose()
        work.run()
        bench.time.advance(by: .milliseconds(1))
        #expect(pending.count == 0)
        #expect(bench.targets.isEmpty)
    }
}
