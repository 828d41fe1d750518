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

    private static let entry = Schema(
        """
        {"type":"object","required":["weight"],"additionalProperties":false,"properties":{
        "weight":{"type":"number","minimum":20,"maximum":300},"tags":{"type":"array","maxItems":2,"items":{"$ref":"#/$defs/tag"}},
        "half":{"enum":["am","pm"]},"day":{"type":"string","format":"date"},"code":{"type":"string","pattern":"^([a-z]+)+$"}},
        "$defs":{"tag":{"type":"object","required":["name"],"properties":{
        "name":{"type":"string","minLength":1},"below":{"type":"array","items":{"$ref":"#/$defs/tag"}}}}}}
        """)

    private func add(_ path: String = "/a") throws {
        var endpoint = PlannedEndpoint(.put, "/entry")
        endpoint.body = Self.entry
        endpoint.parameters = [ParameterRule(.query, "n", ValueRule(.integer), isRequired: false)]
        var call = PlannedCall("diary", .put, Located(text(path)))
        call.body = value("{body}")
        endpoint.parts = .named([PlannedPart("a", .call(call))])
        bench.gateway.add(try bench.plan(endpoint))
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
                Query parameter "n" must be an integer; In the body, weight is missing; it must be given; \
                In the body, tags must be an array of at most 2 elements; \
                In the body, tags[0].name must be at least 1 characters long; \
                In the body, tags[1].name is missing; it must be given; \
                In the body, tags[1].below[0].name must be a string; \
                In the body, tags[2].name is missing; it must be given; \
                In the body, half must be one of am, pm; \
                In the body, day must be in the format date; In the body, extra must be absent
                """)
        #expect(
            reply["/details/1"]
                == #"{"in":"body","name":"weight","rule":"given","message":"In the body, weight is missing; it must be given","at":"","keyword":"required"}"#
        )
        #expect(
            reply["/details/3"]
                == #"{"in":"body","name":"tags[0].name","rule":"at least 1 characters long","message":"In the body, tags[0].name must be at least 1 characters long","at":"/tags/0/name","keyword":"minLength"}"#
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
        #expect(reply.message == "In the body, weight must be a number")
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

    @Test("A check that would exceed its bound refuses the body, and the log names the schema")
    func bounds() throws {
        try add()
        let text = String(repeating: "a", count: 2000)
        let reply = try bench.answer(
            .put, "/entry", fields: json, body: #"{"weight":70,"code":"\#(text)1"}"#)
        #expect(reply.status == 400)
        #expect(reply["/details/0/keyword"] == #""pattern""#)
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                "The body: the check by the schema at 1:1 exceeded its bound (pattern)"
            ])
    }
}
