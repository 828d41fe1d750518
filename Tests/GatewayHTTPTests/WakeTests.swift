import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("How long one response holds a loop", .timeLimit(.minutes(3)))
struct WakeTests {
    /// A debug build takes 50 times as long as a release build, which a proof measures with 8 MiB.
    private static let size = (1 << 20) - 1024
    private static let longest = Duration.milliseconds(60)

    /// What an upstream sends, and what an endpoint does with it.
    struct Case: Sendable, CustomTestStringConvertible {
        let description: String
        var status = "200 OK"
        /// `first`, then so many times `middle` that it has the size, then `last`.
        var first = "[0"
        var middle = ",0"
        var last = "]"
        var isCompressed = false
        let endpoint: String
        /// What the answer contains.
        let reply: String

        var testDescription: String { description }

        fileprivate var body: String {
            first + String(repeating: middle, count: WakeTests.size / middle.utf8.count) + last
        }

        fileprivate var response: [UInt8] {
            let body = isCompressed ? Deflated.gzip(Array(body.utf8)) : Array(body.utf8)
            let coding = isCompressed ? "Content-Encoding: gzip\r\n" : ""
            return Array("HTTP/1.1 \(status)\r\n\(coding)Content-Length: \(body.count)\r\n\r\n".utf8) + body
        }
    }

    private static let objects = (#"[{"x":0}"#, #",{"x":0}"#, "]")
    private static let members = (#"{"a":0"#, #","a":0"#, "}")
    private static let enveloped = (#"{"status":200,"data":[0"#, ",0", "]}")

    static let cases = [
        Case(description: "data", endpoint: "parts: {v: {upstream: api, get: /}}", reply: "[0,0"),
        Case(
            description: "compressed data", isCompressed: true,
            endpoint: "parts: {v: {upstream: api, get: /}}", reply: "[0,0"),
        Case(
            description: "data in an envelope", first: enveloped.0, last: enveloped.2,
            endpoint: "parts: {v: {upstream: enveloped, get: /}}", reply: #""v":[0,0"#),
        Case(
            description: "a failure in an envelope", first: #"{"status":500,"message":"full","data":[0"#,
            last: "]}", endpoint: "revealMessages: true\n  parts: {v: {upstream: enveloped, get: /}}",
            reply: "full"),
        Case(
            description: "a failing status with an envelope", status: "404 Not Found",
            first: #"{"status":404,"message":"gone","data":[0"#, last: "]}",
            endpoint: "revealMessages: true\n  parts: {v: {upstream: enveloped, get: /}}", reply: "gone"),
        Case(
            description: "data that is not JSON", last: "", endpoint: "parts: {v: {upstream: api, get: /}}",
            reply: "decode_error"),
        Case(
            description: "a place in data", first: #"{"a":[0"#, last: #"],"b":{"c":7}}"#,
            endpoint: "parts: {v: {upstream: api, get: /, pick: /b/c}}", reply: #""v":7"#),
        Case(
            description: "a place that is missing", first: #"{"a":[0"#, last: "]}",
            endpoint: "parts: {v: {upstream: api, get: /, pick: /b}}", reply: "missing_data"),
        Case(
            description: "kept members", first: objects.0, middle: objects.1, last: objects.2,
            endpoint: "parts: {v: {upstream: api, get: /, keep: [x]}}", reply: #""v":[{"x":0}"#),
        Case(
            description: "a member of each element", first: objects.0, middle: objects.1, last: objects.2,
            endpoint: """
                parts:
                    v: {upstream: api, get: /, hidden: true}
                    a: {value: "{parts.v[*].x}"}
                """, reply: #""a":[0,0"#),
        Case(
            description: "calls for each element",
            endpoint: """
                parts:
                    v: {upstream: api, get: /, hidden: true}
                    a: {upstream: small, get: "/{item}", forEach: "{parts.v}"}
                """, reply: "has more than"),
        Case(
            description: "calls for the members of a large element", first: #"[{"a":[0"#, last: #"],"b":7}]"#,
            endpoint: """
                parts:
                    v: {upstream: api, get: /, hidden: true}
                    a: {upstream: small, get: "/{item.b}", forEach: "{parts.v}"}
                """, reply: #""a":[1]"#),
        Case(
            description: "a large response for each of many elements", first: objects.0, middle: objects.1,
            last: objects.2,
            endpoint: """
                parts:
                    l: {value: [1, 2], hidden: true}
                    a: {upstream: api, get: /, forEach: "{parts.l}", keep: [x]}
                """, reply: #""a":[[{"x":0}"#),
        Case(
            description: "a query of many values",
            endpoint: """
                parts:
                    v: {upstream: api, get: /, hidden: true}
                    a: {upstream: small, get: /, query: {q: "{parts.v}"}}
                """, reply: "decode_error"),
        Case(
            description: "a body with the data",
            endpoint: """
                parts:
                    v: {upstream: api, get: /, hidden: true}
                    a: {upstream: small, post: /, body: {all: "{parts.v}", again: "{parts.v}"}}
                """, reply: #""a":1"#),
        Case(
            description: "merged members", first: members.0, middle: members.1, last: members.2,
            endpoint: """
                parts:
                    v: {upstream: api, get: /, merge: true}
                    w: {upstream: object, get: /, merge: true, keep: [b]}
                """, reply: #""b":1"#),
        Case(
            description: "the object of a group", first: objects.0, middle: objects.1, last: objects.2,
            endpoint: """
                parts:
                    g: {hidden: true, parts: {v: {upstream: api, get: /, keep: [x]}}}
                    a: {value: "{parts.g}"}
                """, reply: #""a":{"v":[{"x":0}"#),
        Case(
            description: "a field of the answer", first: #"{"a":[0"#, last: #"],"b":"late"}"#,
            endpoint: """
                answer: {headers: {X-B: "{parts.v.b}"}}
                  parts: {v: {upstream: api, get: /}}
                """, reply: "X-B: late"),
        Case(
            description: "a condition", first: #"{"a":[0"#, last: #"],"b":true}"#,
            endpoint: """
                parts:
                    v: {upstream: api, get: /, hidden: true}
                    a: {upstream: small, get: /, when: "{parts.v.b}"}
                """, reply: #""a":1"#),
    ]

    @Test("A large response holds the loop only for moments", arguments: cases)
    func wake(_ example: Case) throws {
        let response = example.response
        let api = try ScriptedUpstream([.readRequest, .sendBytes(response), .again])
        let small = try ScriptedUpstream([.answer { _ in FileGateway.ok() }])
        let object = try ScriptedUpstream([.answer { _ in FileGateway.ok(#"{"b":1}"#) }])
        defer { for upstream in [api, small, object] { upstream.stop() } }
        let gateway = try FileGateway(
            """
            version: 1
            upstreams:
              api: {url: "http://127.0.0.1:\(api.port)", compression: always, retry: {attempts: 1}}
              enveloped: {url: "http://127.0.0.1:\(api.port)", envelope: generic, retry: {attempts: 1}}
              small: {url: "http://127.0.0.1:\(small.port)"}
              object: {url: "http://127.0.0.1:\(object.port)"}
            endpoints:
            - get: /page
              deadline: 60s
              \(example.endpoint)
            """)
        defer { gateway.stop() }
        let client = try RawClient(port: gateway.server.port)
        // The first wakes are longer.
        client.send("GET /missing HTTP/1.1\r\nHost: test\r\n\r\n")
        _ = try client.reply()
        _ = gateway.server.takeLongestWake()
        client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
        let reply = try client.reply()
        let wake = gateway.server.takeLongestWake()
        #expect((reply.head + reply.text).contains(example.reply), "\(reply.text.prefix(300))")
        #expect(wake < Self.longest)
    }
}
