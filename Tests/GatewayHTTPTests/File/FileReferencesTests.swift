import GatewayTesting
import HTTPModel
import Testing

/// The engine finds what the reader has checked.
@Suite("References of a file, as they are read and as they are found")
struct FileReferencesTests {
    @Test(
        "An escape in a quoted name is the same character for the check and for the value",
        arguments: [
            (#"a\nb"#, #"a\nb"#), (#"a\tb"#, #"a\tb"#), (#"a\rb"#, #"a\rb"#), (#"a\\nb"#, #"a\\nb"#),
            (#"a\/b"#, #"a/b"#), (#"it\'s"#, #"it's"#), ("a]b", "a]b"), ("a}b", "a}b"), ("a.b", "a.b"),
        ])
    func escapes(name: String, json: String) async throws {
        // In YAML's single quotes a quote is doubled.
        let quoted = name.replacing("'", with: "''")
        let bench = try FileBench(
            """
            endpoints:
            - put: /x
              body: {type: object}
              data: {value: ['{body[''\(quoted)'']}', '{body.list[1][''\(quoted)'']}']}
            """)
        let body = #"{"\#(json)":1,"anb":2,"atb":2,"arb":2,"list":[0,{"\#(json)":3,"anb":4}]}"#
        #expect(try await bench.ask(.put, "/x", json: body).data == "[1,3]")
    }

    @Test("A reader of a group waits for all of its parts, and all that reads no part starts at once")
    func waiting() async throws {
        let bench = try FileBench(
            """
            upstreams: {api: {url: "http://api"}}
            endpoints:
            - get: /x
              parts:
                reader: {upstream: api, get: "/reader/{parts.g.inner.c}"}
                whole: {upstream: api, get: /whole, query: {g: "{parts.g.b}", i: "{parts.g.inner.c}"}, when: "{parts.g}"}
                g: {parts: {b: {upstream: api, get: /b}, inner: {parts: {c: {upstream: api, get: /c}}}}}
                last: {upstream: api, get: /last}
            """)
        bench.answers = [
            "/b": .json("1").after(.seconds(3)), "/c": .json("2").after(.seconds(1)),
            "/reader/2": .json("3").after(.seconds(1)), "/whole": .json("4").after(.seconds(1)),
            "/last": .json("5").after(.seconds(1)),
        ]
        let reply = try await bench.ask("/x")
        #expect(bench.calls.map(\.path) == ["/b", "/c", "/last", "/reader/2", "/whole"])
        #expect(reply.elapsed == .seconds(4))
        #expect(
            try reply.data == #"{"reader":3,"whole":4,"g":{"b":1,"inner":{"c":2}},"last":5}"#)
    }

    @Test("Parameters, groups, steps and elements are found below the names that the reader resolves")
    func sources() async throws {
        let bench = try FileBench(
            """
            upstreams: {api: {url: "http://api"}}
            endpoints:
            - put: /x/{id}
              query: {page: integer}
              headers: {X-Tenant: string}
              body: {type: object}
              first:
                a: {upstream: api, put: /a}
                g: {parts: {b: {upstream: api, put: /b}, c: {upstream: api, put: /c}}}
              parts:
                request: {value: ["{path.id}", "{query.page}", "{header.x-tenant}", "{body}"], optional: true}
                steps: {value: ["{first.a}", "{first.g.b.n}", "{first.g.c[0]}"], optional: true}
                group: {optional: true, parts: {d: {value: {n: [5, 6]}}, e: {value: {m: 7}, merge: true}}}
                parts: {value: ["{parts.group}", "{parts.group.d.n[*]}", "{parts.group.m}"], optional: true}
              answer: {headers: {X-Steps: "{first.a}/{first.g.b.n}/{parts.group.m}", X-None: "{first.g.b.n}/{first.a.n}"}}
            """)
        bench.answers = ["/b": .json(#"{"n":2}"#), "/c": .json("[3]")]
        let reply = try await bench.ask(.put, "/x/i?page=4", ["X-Tenant": "t"], json: "{}")
        #expect(reply.fields["X-Steps"] == "1/2/7")
        #expect(reply.fields["X-None"] == nil)
        #expect(
            try reply.data
                == #"{"request":["i",4,"t",{}],"steps":[1,2,3],"group":{"d":{"n":[5,6]},"m":7},"#
                + #""parts":[{"d":{"n":[5,6]},"m":7},[5,6],7]}"#)
    }
}
