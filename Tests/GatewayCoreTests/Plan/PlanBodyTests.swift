import EndpointPlans
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@testable import GatewayCore

@Suite("Bodies of planned endpoints", .noLeaks)
struct PlanBodyTests {
    private let bench = Bench()
    private let json: HTTPFields = [.contentType: "application/json"]

    private static let entry = Schema.object(
        [
            ("weight", .scalar(ValueRule(.number, minimum: 20, maximum: 300))),
            ("tags", .array(.named("Tag"), maxItems: 2)),
            ("half", .any(of: [JSONFragment(string: "am"), JSONFragment(string: "pm")])),
            ("day", .scalar(ValueRule(.date))),
        ], required: ["weight"], allowsOthers: false)
    private static let schemas = [
        NamedSchema(
            "Tag",
            .object(
                [("name", .scalar(ValueRule(minLength: 1))), ("below", .array(.named("Tag")))],
                required: ["name"]))
    ]

    @Test("Many texts that are slow to match are refused after 20 ms, with one incident")
    func slowPatterns() throws {
        let pattern = try Pattern("(x+x+)+y|[^ ]*z")
        let schema = BodySchema(
            BodyRule(.array(BodyRule.ArrayRule(items: BodyRule(.scalar(ValueRule(pattern: pattern)))))))
        let text = "\"\(String(repeating: "x", count: 13))z\""
        var one = BodyCheck(schema)
        one.check(try JSONFragment(parsing: "[\(text)]"))
        #expect(one.faults.isEmpty)
        var many = BodyCheck(schema)
        let list = [String](repeating: text, count: 20_000).joined(separator: ",")
        many.check(try JSONFragment(parsing: "[\(list)]"))
        #expect(many.faults.count == BodyCheck.faultLimit)
        #expect(many.unmatched.count == 1)
        let last = try #require(many.faults.last)
        #expect(
            last.message
                == "In the body, \(last.name.name) could not be compared with the pattern \(pattern.text) within the limits"
        )
        #expect(last.rule == "text that matches \(pattern.text)")
    }

    @Test("A text whose match exceeds PCRE2's limits is not called wrong")
    func slowText() throws {
        let pattern = try Pattern("(a+)+[bc]")
        var check = BodyCheck(BodySchema(BodyRule(.scalar(ValueRule(pattern: pattern)))))
        check.check(JSONFragment(string: String(repeating: "a", count: 64)))
        #expect(
            check.faults.map(\.message) == [
                "The body could not be compared with the pattern (a+)+[bc] within the limits"
            ])
        #expect(check.unmatched.map(\.text) == ["(a+)+[bc]"])
    }

    private func add(_ path: String = "/a") throws {
        var endpoint = PlannedEndpoint(.put, "/entry")
        endpoint.body = Self.entry
        endpoint.parameters = [ParameterRule(.query, "n", ValueRule(.integer), isRequired: false)]
        var call = PlannedCall("diary", .put, Located(text(path)))
        call.body = value("{body}")
        endpoint.parts = .named([PlannedPart("a", .call(call))])
        bench.gateway.add(try bench.plan(endpoint, schemas: Self.schemas))
        bench.transport.answer(.data("1"))
    }

    @Test("All mistakes of a body and of the parameters are told at once, with their places")
    func allAtOnce() throws {
        try add()
        let reply = try bench.answer(
            .put, "/entry?n=x", fields: json,
            body:
                #"{"tags":[{"name":""},{"below":[{"name":7}]},{}],"half":"noon","day":"2026-02-30","extra":1}"#
        )
        #expect(reply.status == 400)
        #expect(
            reply.message == """
                Query parameter "n" must be an integer; In the body, weight is missing; \
                it must be a decimal number from 20 to 300; In the body, tags must be an array of at most 2 elements; \
                In the body, tags[0].name must be text of at least 1 characters; \
                In the body, tags[1].name is missing; it must be text of at least 1 characters; \
                In the body, tags[1].below[0].name must be text of at least 1 characters; \
                In the body, tags[2].name is missing; it must be text of at least 1 characters; \
                In the body, half must be one of "am", "pm"; \
                In the body, day must be a calendar date written YYYY-MM-DD; In the body, extra must be absent
                """)
        #expect(
            reply["/details/1"]
                == #"{"in":"body","name":"weight","rule":"a decimal number from 20 to 300","message":"In the body, weight is missing; it must be a decimal number from 20 to 300"}"#
        )
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test(
        "A body that is no JSON, of another type or empty is refused as at endpoints in Swift",
        arguments: [
            ("{", "application/json", 400, "The body is not JSON at byte 1: the document is cut short"),
            ("", "application/json", 400, "The body is empty; it must be JSON"),
            ("{}", "text/plain", 415, "Content-Type must be application/json"),
            ("[]", "application/json", 400, "The body must be an object"),
        ])
    func noJSON(body: String, type: String, status: Int, message: String) throws {
        try add()
        let reply = try bench.answer(.put, "/entry", fields: [.contentType: type], body: body)
        #expect(reply.status == status)
        #expect(reply.message == message)
    }

    @Test("Each occurrence of a repeated name is checked")
    func repeated() throws {
        try add()
        let reply = try bench.answer(.put, "/entry", fields: json, body: #"{"weight":"x","weight":70}"#)
        #expect(reply.message == "In the body, weight must be a decimal number from 20 to 300")
    }

    @Test("No more than twenty mistakes of a body are told, and a long name is cut")
    func bound() throws {
        try add()
        let members = (0..<50).map { #""\#(String(repeating: "x", count: 100))\#($0)":1"# }
        let reply = try bench.answer(
            .put, "/entry", fields: json, body: "{\"weight\":70,\(members.joined(separator: ","))}")
        #expect(try reply.json().value(at: "/details")?.elements.count == 20)
        #expect(reply["/details/0/name"]?.utf8.count == 69)
    }

    @Test("A good body reaches the upstream byte for byte")
    func passed() throws {
        try add()
        let body = #"{"weight": 70.50, "tags":[]}"#
        #expect(try bench.answer(.put, "/entry", fields: json, body: body).status == 200)
        guard case .bytes(let sent)? = bench.transport.attempts.first?.call.body else {
            Issue.record("no body was sent")
            return
        }
        #expect(String(decoding: sent, as: UTF8.self) == body)
        #expect(bench.transport.attempts.first?.call.fields[.contentType] == "application/json")
    }

    @Test("Rule 2: a value of the body that cannot be in a path is 400")
    func segment() throws {
        try add("/tags/{body.tags[0].name}")
        for body in [#"{"weight":70}"#, #"{"weight":70,"tags":[{"name":"a/b"}]}"#] {
            let reply = try bench.answer(.put, "/entry", fields: json, body: body)
            #expect(
                reply.message
                    == "In the body, tags[0].name must be text without slashes and control characters, or a number"
            )
        }
        let good = #"{"weight":70,"tags":[{"name":"a b"}]}"#
        #expect(try bench.answer(.put, "/entry", fields: json, body: good).status == 200)
        #expect(bench.targets == ["/tags/a%20b"])
    }

    @Test("A schema that is unknown or leads only to itself is a fault of the plan")
    func schemas() throws {
        var endpoint = PlannedEndpoint(.put, "/entry")
        endpoint.body = .array(.named("A"))
        let error = try #require(throws: PlanError.self) {
            try bench.plan(
                endpoint, schemas: [NamedSchema("B", .named("C")), NamedSchema("C", .named("B"))])
        }
        #expect(
            error.faults.map(\.message) == [
                "there is no schema \"A\"", "the schema \"C\" leads only to itself",
                "the schema \"B\" leads only to itself",
            ])
    }
}
