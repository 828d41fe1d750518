import EndpointPlans
import HTTPModel
import JSONBytes
import JSONSchema
import Metrics
import Networking
import NetworkingTesting
import RxTesting
import Testing

@testable import GatewayCore

@Suite("Schemas of parts", .noLeaks)
struct PartContractTests {
    private let bench = Bench()
    private static let schema = Schema(
        #"{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}},"additionalProperties":{"type":"null"}}"#
    )

    private func part(
        _ name: String, _ check: ContractMode, _ policy: PlannedPart.Policy = .required
    ) -> PlannedPart {
        var part = bench.part(name, "/\(name)", policy)
        part.schema = Self.schema
        part.check = check
        return part
    }

    private func checks(_ result: String) -> Int? {
        bench.gateway.environment.metrics.value(.contractChecks, of: "diary", "response", result)
    }

    @Test(
        "An enforced schema that a response breaks fails its part with response_contract, and no value is told"
    )
    func enforced() throws {
        try bench.page([part("a", .enforce)])
        bench.upstream("/a", .data(#"{"id":"secret"}"#))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(try !reply.json().description.contains("secret"))
        #expect(bench.transport.attempts.count == 1)
        let broken = try #require(bench.broken.first)
        #expect(broken.operation == "GET /a")
        #expect([broken.pointer, broken.keyword, broken.schema] == ["/id", "type", "1:56"])
        #expect(broken.isEnforced)
        #expect(checks("broken") == 1)
        #expect(
            bench.gateway.environment.metrics.value(.contractBroken, of: "diary", "GET /a", "type") == 1)
    }

    @Test("optional and fallback apply to a part whose response breaks its schema")
    func policies() throws {
        try bench.page([
            part("a", .enforce, .optional), part("b", .enforce, .fallback(JSONLiteral(["id": 7]))),
        ])
        bench.upstream("/a", .data("[]"))
        bench.upstream("/b", .data("{}"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 200)
        #expect(reply["/data"] == #"{"a":null,"b":{"id":7}}"#)
        #expect(reply["/errors/0/reason"] == #""response_contract""#)
        #expect(checks("broken") == 2)
    }

    @Test("A reported schema lets the response pass, counts it and tells no name that the schema lacks")
    func reported() throws {
        try bench.page([part("a", .report)])
        bench.upstream("/a", .data(#"{"id":1,"token-of-kim":{"x":2}}"#))
        #expect(try bench.answer(.get, "/page").status == 200)
        let broken = try #require(bench.broken.first)
        #expect(broken.pointer == "/*")
        #expect(!broken.isEnforced)
        bench.upstream("/a", .data(#"{"id":1}"#))
        #expect(try bench.answer(.get, "/page").status == 200)
        #expect(checks("broken") == 1)
    }

    @Test("The schema sees the value before keep, and a schema that is off is not looked at")
    func shaped() throws {
        try bench.page([
            part("a", .enforce).shaped { $0.kept = [Located("name")] }, part("b", .off),
        ])
        bench.upstream("/a", .data(#"{"id":1}"#))
        bench.upstream("/b", .data("[]"))
        #expect(try bench.answer(.get, "/page").status == 200)
        #expect(checks("ok") == 1)
        #expect(checks("broken") == nil)
    }

    @Test("A list with failed elements is not what the upstream sent, so that it is skipped")
    func elements() throws {
        var list = bench.part("list", "/{item}") { $0.items = PlannedItems(reference("body")) }
        list.schema = Schema(#"{"type":"array","items":{"type":"integer"}}"#)
        list.check = .enforce
        var endpoint = PlannedEndpoint(.post, "/list", parts: [list])
        endpoint.body = Schema()
        bench.gateway.add(try bench.plan(endpoint))
        bench.upstream("/1", .data("1"))
        bench.upstream("/2", .response(500))
        let json: HTTPFields = [.contentType: "application/json"]
        #expect(try bench.answer(.post, "/list", fields: json, body: "[1]").status == 200)
        #expect(checks("ok") == 1)
        #expect(try bench.answer(.post, "/list", fields: json, body: "[1,2]").status == 200)
        #expect(checks("skipped") == 1)
    }
}
