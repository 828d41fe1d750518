import EndpointPlans
import HTTPModel
import JSONBytes
import JSONSchema
import Testing

@testable import GatewayConfig

@Suite("Parts and steps")
struct PartTests {
    private func parts(_ text: String, endpoint: String = "") throws -> [PlannedPart] {
        let reading = ConfigReading.read(
            text: """
                upstreams: {api: {url: "http://a"}}
                endpoints:
                - post: "/a/{id}"
                  query: {q: string}
                  body: {}
                \(endpoint)
                  parts:
                \(text.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
                """)
        #expect(reading.lines.filter { $0.contains("error") } == [])
        return try #require(reading.document?.endpoints.first).parts.list
    }

    private func call(_ part: PlannedPart) throws -> PlannedCall {
        switch part.content {
        case .call(let call): return call
        case .group, .value: throw NotACall()
        }
    }

    private struct NotACall: Error {}

    @Test("A call has an upstream, a method with a path, a query, headers, a body and limits")
    func call() throws {
        let part = try parts(
            """
            a: {upstream: api, put: "/x/{path.id}.json", query: {q: "{query.q}", n: 60, l: [a, "{path.id}"]},
              headers: {X-A: "t {path.id}"}, body: "{body}", timeout: 3s, attempts: 2, pick: /d/0, expect: array}
            """)[0]
        let call = try call(part)
        #expect(part.name == "a")
        #expect(part.place == ConfigPlace(file: 0, line: 9, column: 5))
        #expect(call.upstream.value == "api")
        #expect(call.method == .put)
        #expect(call.path.value.pieces.count == 3)
        #expect(call.path.value.pieces.first == .text("/x/"))
        #expect(call.path.value.pieces.last == .text(".json"))
        #expect(call.query.map(\.name) == ["q", "n", "l", "l"])
        #expect(call.query[0].value.references.map(\.source) == [.query("q")])
        #expect(call.query[1].value.constant?.description == "\"60\"")
        #expect(call.query[2].value.constant?.description == "\"a\"")
        #expect(call.query[3].value.references.map(\.source) == [.path("id")])
        #expect(call.headers.map(\.name.value) == ["X-A"])
        guard case .reference(let body)? = call.body else {
            Issue.record("the body is no reference")
            return
        }
        #expect(body.source == .body && body.path.steps.isEmpty)
        #expect(call.timeout == 3_000_000_000)
        #expect(call.attempts == 2)
        #expect(call.pick?.description == "/d/0")
        #expect(call.expected == .array)
    }

    @Test("A part is shaped, merged, hidden, required or not")
    func shaping() throws {
        let parts = try parts(
            """
            a: {upstream: api, get: /a, keep: [id, seller.name], drop: [x], rename: {id: key}, merge: true}
            b: {upstream: api, get: /b, hidden: true, optional: true, schema: {type: object}, check: enforce}
            c: {upstream: api, get: /c, fallback: {a: [1, ~, "{{x}"], b: 1.0}}
            d: {upstream: api, get: /d, when: "!{query.q}"}
            """)
        #expect(parts[0].shape.kept?.map(\.value.description) == ["id", "seller.name"])
        #expect(parts[0].shape.dropped.map(\.value.description) == ["x"])
        #expect(parts[0].shape.renamed.map(\.name.value) == ["key"])
        #expect(parts[0].isMerged && !parts[0].isHidden)
        #expect(parts[1].isHidden)
        #expect(parts[1].schema?.check.outline.type == "object")
        #expect(parts[1].check == .enforce && parts[0].check == .report)
        guard case .required = parts[0].policy, case .optional = parts[1].policy,
            case .fallback(let fallback) = parts[2].policy
        else {
            Issue.record("wrong policies")
            return
        }
        #expect(fallback.value.description == #"{"a":[1,null,"{x}"],"b":1.0}"#)
        #expect(parts[3].condition?.isNegated == true)
        #expect(parts[3].condition?.reference.source == .query("q"))
    }

    @Test("Groups have members and a quorum; a reference names a member with its groups")
    func groups() throws {
        let parts = try parts(
            """
            g: {atLeast: 1, parts: {now: {upstream: api, get: /n}, inner: {parts: {x: {upstream: api, get: /x}}}}}
            v: {value: {a: "{parts.g.now.t[0]}", b: "{parts.g.inner.x}", c: "{parts.g}", d: 1}}
            """)
        guard case .group(let group) = parts[0].content, case .value(.object(let members)) = parts[1].content
        else {
            Issue.record("wrong kinds")
            return
        }
        #expect(group.atLeast == 1)
        #expect(group.parts.map(\.name) == ["now", "inner"])
        let sources = members.map { member -> PlanReference.Source? in
            if case .reference(let reference) = member.value { reference.source } else { nil }
        }
        #expect(sources == [.part(["g", "now"]), .part(["g", "inner", "x"]), .part(["g"]), nil])
        if case .reference(let reference) = members[0].value {
            #expect(reference.path.steps == [.name(Array("t".utf8)), .index(0)])
        }
        #expect(members[3].value.constant?.description == "1")
    }

    @Test("A forEach has its items, bounds and what a failed item becomes")
    func forEach() throws {
        let parts = try parts(
            """
            list: {upstream: api, get: /l}
            a: {upstream: api, get: "/{item.id}", forEach: "{parts.list[*].x}", concurrency: 4, limit: 50, itemFailure: null, atLeast: 0x2}
            b: {upstream: api, get: "/{item}", forEach: "{parts.list}", itemFailure: drop}
            """)
        guard case .call(let first) = parts[1].content, case .call(let second) = parts[2].content else {
            Issue.record("wrong kinds")
            return
        }
        #expect(first.items?.source.source == .part(["list"]))
        #expect(first.items?.source.path.steps == [.all, .name(Array("x".utf8))])
        #expect(first.path.value.pieces.count == 2)
        #expect([first.items?.concurrency, first.items?.limit, first.items?.atLeast] == [4, 50, 2])
        #expect([first.items?.failure, second.items?.failure] == [.null, .drop])
        #expect(second.items?.limit == nil)
    }

    @Test("Steps are calls in the order of the file, each of which may read earlier ones")
    func steps() throws {
        let reading = ConfigReading.read(
            text: """
                upstreams: {api: {url: "http://a"}}
                endpoints:
                - put: /a
                  first:
                    one: {upstream: api, post: /one}
                    two: {upstream: api, put: "/{first.one.id}"}
                  data: {upstream: api, get: "/{first.two.id}", optional: true}
                """)
        #expect(reading.lines == [])
        let endpoint = try #require(reading.document?.endpoints.first)
        #expect(endpoint.first.map(\.name) == ["one", "two"])
        #expect(endpoint.first.flatMap(\.calls).map(\.method) == [.post, .put])
        guard case .data(let data) = endpoint.parts else {
            Issue.record("data is missing")
            return
        }
        #expect(data.name == "data")
    }

    @Test("A group of steps has calls in the order of the file, and references name them below the group")
    func stepGroups() throws {
        let reading = ConfigReading.read(
            text: """
                upstreams: {api: {url: "http://a"}}
                endpoints:
                - put: /a
                  first:
                    one: {upstream: api, post: /one}
                    both: {parts: {x: {upstream: api, put: "/{first.one.id}"}, y: {upstream: api, delete: /y}}}
                    last: {upstream: api, patch: "/{first.both.y.id}"}
                  data: {upstream: api, get: "/{first.both.x[0].id}", optional: true}
                """)
        #expect(reading.lines == [])
        let endpoint = try #require(reading.document?.endpoints.first)
        guard case .group(let steps) = endpoint.first[1].content, case .data(let data) = endpoint.parts else {
            Issue.record("wrong kinds")
            return
        }
        #expect(steps.parts.map(\.name) == ["x", "y"])
        #expect(endpoint.first.map(\.calls.count) == [1, 2, 1])
        #expect(endpoint.first[2].calls[0].references.map(\.source) == [.step(["both", "y"])])
        #expect(data.references.map(\.source) == [.step(["both", "x"])])
        #expect(data.references.map(\.path.steps) == [[.index(0), .name(Array("id".utf8))]])
    }

    @Test("JSON of the file keeps its order and its types, and constants become JSON text")
    func values() throws {
        let parts = try parts(
            """
            v: {value: {z: 012, a: [.5, yes, TRUE, ~, '1', "a\\"b"], m: {t: "x {path.id}", e: {}, l: [[], 1e3]}}}
            c: {value: {b: 1, a: [x]}}
            """)
        guard case .value(.object(let members)) = parts[0].content,
            case .value(.constant(let constant)) = parts[1].content
        else {
            Issue.record("wrong kinds")
            return
        }
        #expect(members.map(\.name) == ["z", "a", "m"])
        #expect(members[0].value.constant?.description == "12")
        #expect(members[1].value.constant?.description == #"[0.5,"yes",true,null,"1","a\"b"]"#)
        guard case .object(let inner) = members[2].value, case .text(let template) = inner[0].value else {
            Issue.record("the text is missing")
            return
        }
        #expect(template.pieces.first == .text("x "))
        #expect(inner[2].value.constant?.description == "[[],1e3]")
        #expect(constant.description == #"{"b":1,"a":["x"]}"#)
    }
}
