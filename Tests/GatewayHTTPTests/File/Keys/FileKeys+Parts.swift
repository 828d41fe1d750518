import GatewayTesting
import HTTPModel
import Networking
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

extension FileKeys {
    /// The examples of the keys that parts and steps share. A step `a` is read by a value, a part `a` stands
    /// in the answer.
    static func calls(_ table: String) -> [KeyExample] {
        func example(
            _ key: String, _ call: String, _ check: @escaping @Sendable (FileBench) async throws -> Void
        ) -> KeyExample {
            KeyExample.endpoint(
                "\(table).\(key)",
                table == "step"
                    ? "{put: /x, first: {a: {upstream: api, \(call)}}, data: {value: \"{first.a}\"}}"
                    : "{put: /x, data: {upstream: api, \(call)}}", check)
        }
        let methods = ["get", "post", "put", "patch", "delete"].map { method in
            example(method, "\(method): /a/b") { bench async throws in
                #expect(try await bench.ask(.put, "/x").data == "1")
                #expect(bench.calls.map(\.description) == ["\(method.uppercased()) /a/b"])
            }
        }
        let others = [
            example("upstream", "get: /a") { bench async throws in
                _ = try await bench.ask(.put, "/x")
                #expect(bench.calls.map(\.upstream) == ["api"])
            },
            example("query", "get: /a, query: {b: 1, c: [2, \"x y\"]}") { bench async throws in
                _ = try await bench.ask(.put, "/x")
                #expect(bench.calls[0].query == "b=1&c=2&c=x%20y")
            },
            example("headers", "get: /a, headers: {X-A: b}") { bench async throws in
                _ = try await bench.ask(.put, "/x")
                #expect(bench.calls[0].fields["X-A"] == "b")
            },
            example("body", "post: /a, body: {b: [1, true]}") { bench async throws in
                _ = try await bench.ask(.put, "/x")
                #expect(bench.calls[0].body == #"{"b":[1,true]}"#)
            },
            example("timeout", "get: /a, timeout: 2s") { bench async throws in
                bench.answers = ["/a": .hangs]
                #expect(try await bench.ask(.put, "/x").elapsed == .seconds(2))
            },
            example("attempts", "get: /a, attempts: 2") { bench async throws in
                bench.answers = ["/a": .status(.serviceUnavailable)]
                #expect(try await bench.ask(.put, "/x").status == .serviceUnavailable)
                #expect(bench.calls.count == 2)
            },
            example("pick", "get: /a, pick: /b/0") { bench async throws in
                bench.answers = ["/a": .json(#"{"b":[7]}"#)]
                #expect(try await bench.ask(.put, "/x").data == "7")
            },
            example("expect", "get: /a, expect: array") { bench async throws in
                bench.answers = ["/a": .json("[7]")]
                #expect(try await bench.ask(.put, "/x").data == "[7]")
                bench.answers = ["/a": .json("7")]
                #expect(try await bench.ask(.put, "/x").status == .badGateway)
            },
        ]
        return methods + others
    }

    static let parts: [KeyExample] = [
        KeyExample.part(
            "part.keep", "a: {upstream: api, get: /a, keep: [id, b.c]}", list,
            gives: #"{"a":[{"id":1,"b":{"c":2}}]}"#),
        KeyExample.part(
            "part.drop", "a: {upstream: api, get: /a, drop: [b]}", list, gives: #"{"a":[{"id":1,"e":3}]}"#
        ),
        KeyExample.part(
            "part.rename", "a: {upstream: api, get: /a, rename: {id: key, b.c: z}}", list,
            gives: #"{"a":[{"key":1,"b":{"z":2,"d":0},"e":3}]}"#),
        // pick, keep, drop and rename apply in this order, and a reference sees the value after pick.
        KeyExample.part(
            "part.pick part.keep part.drop part.rename",
            "a: {upstream: api, get: /a, rename: {a: b}, drop: [b], keep: [a, b], pick: /x}, "
                + "b: {value: [\"{parts.a.a}\", \"{parts.a.b}\", \"{parts.a.c}\"]}",
            ["/a": .json(#"{"x":{"a":1,"b":2,"c":3},"a":0}"#)], gives: #"{"a":{"b":1},"b":[1,2,3]}"#),
        KeyExample.part(
            "part.merge", "a: {upstream: api, get: /a, merge: true}, b: {value: 2}",
            ["/a": .json(#"{"id":1,"b":0}"#)], gives: #"{"id":1,"b":2}"#),
        // A merged part that fails adds nothing, unless it has a fallback.
        KeyExample.part(
            "part.merge part.optional",
            "a: {upstream: api, get: /a, merge: true, optional: true}, b: {value: 2}",
            ["/a": .status(.notFound)], gives: #"{"b":2}"#),
        KeyExample.part(
            "part.merge part.keep part.fallback",
            "a: {upstream: api, get: /a, merge: true, keep: [id], fallback: {id: null}}, b: {value: 2}",
            ["/a": .status(.notFound)], gives: #"{"id":null,"b":2}"#),
        KeyExample.part(
            "part.optional", "a: {upstream: api, get: /a, optional: true}", ["/a": .status(.notFound)],
            gives: #"{"a":null}"#),
        KeyExample.part(
            "part.fallback", "a: {upstream: api, get: /a, fallback: {b: []}}", ["/a": .status(.notFound)],
            gives: #"{"a":{"b":[]}}"#),
        KeyExample.part(
            "part.hidden", "a: {upstream: api, get: /a, hidden: true}, b: {value: \"{parts.a}\"}",
            gives: #"{"b":1}"#),
        // It documents, and changes nothing.
        KeyExample.part(
            "part.schema", "a: {upstream: api, get: /a, schema: {type: string}}", gives: #"{"a":1}"#),
        KeyExample.endpoint(
            "part.check", "{get: /x, data: {upstream: api, get: /a, schema: {type: string}, check: enforce}}"
        ) { bench async throws in
            bench.answers = ["/a": .json("1")]
            let reply = try await bench.ask("/x")
            #expect(reply.status == .badGateway)
            #expect(reply.text.contains("response_contract"))
        },
        KeyExample.part(
            "part.when",
            "a: {value: false}, b: {value: 1, when: \"{parts.a}\"}, c: {value: 2, when: \"!{parts.a}\"}",
            gives: #"{"a":false,"b":null,"c":2}"#),
        KeyExample.part(
            "part.forEach",
            "a: {value: [2, 3]}, b: {upstream: api, get: \"/{item}\", forEach: \"{parts.a}\"}",
            ["/2": .json("\"x\"")], gives: #"{"a":[2,3],"b":["x",1]}"#),
        KeyExample.endpoint(
            "part.concurrency part.limit",
            "{get: /x, parts: {a: {value: [2, 3], hidden: true}, b: {upstream: api, get: \"/{item}\", "
                + "forEach: \"{parts.a}\", concurrency: 1, limit: 2}, c: {upstream: api, get: \"/{item}\", "
                + "forEach: \"{parts.a}\", limit: 1, optional: true}}}"
        ) { bench async throws in
            bench.answers = ["/2": .json("1").after(.seconds(1)), "/3": .json("1").after(.seconds(1))]
            let reply = try await bench.ask("/x")
            #expect(reply.elapsed == .seconds(2))
            #expect(try reply.data == #"{"b":[1,1],"c":null}"#)
        },
        // Null is a success, and a missing value is a failure.
        KeyExample.part(
            "part.forEach part.fallback",
            "a: {value: {n: null}, hidden: true}, b: {upstream: api, get: \"/{item}\", forEach: \"{parts.a.n}\", "
                + "fallback: []}, c: {upstream: api, get: \"/{item}\", forEach: \"{parts.a.m}\", fallback: []}",
            gives: #"{"b":null,"c":[]}"#),
        KeyExample.part(
            "part.forEach part.atLeast",
            "a: {value: [2, 3]}, b: {upstream: api, get: \"/{item}\", forEach: \"{parts.a}\", atLeast: 0}",
            ["/2": .status(.notFound), "/3": .status(.notFound)], gives: #"{"a":[2,3],"b":[null,null]}"#),
        KeyExample.part(
            "part.itemFailure",
            "a: {value: [2, 3], hidden: true}, b: {upstream: api, get: \"/{item}\", forEach: \"{parts.a}\", itemFailure: drop}",
            ["/2": .status(.notFound)], gives: #"{"b":[1]}"#),
        KeyExample.part(
            "part.value", "a: {value: {b: [\"{parts.c}\", \"n{parts.c}\"]}}, c: {value: 7}",
            gives: #"{"a":{"b":[7,"n7"]},"c":7}"#),
    ]

    private static let list: [String: StubUpstream.Answer] = [
        "/a": .json(#"[{"id":1,"b":{"c":2,"d":0},"e":3}]"#)
    ]

    // MARK: Groups

    static let groups: [KeyExample] = [
        KeyExample.part(
            "part.parts", "a: {parts: {b: {value: 1}, c: {parts: {d: {value: 2}}}}}",
            gives: #"{"a":{"b":1,"c":{"d":2}}}"#),
        KeyExample.part(
            "part.atLeast part.parts", "a: {atLeast: 1, parts: {b: {upstream: api, get: /b}, c: {value: 2}}}",
            ["/b": .status(.notFound)], gives: #"{"a":{"b":null,"c":2}}"#),
        KeyExample.part(
            "part.keep part.drop part.rename",
            "a: {keep: [b.id, c], drop: [c.x], rename: {c: z}, parts: {b: {upstream: api, get: /b}, c: {value: {x: 1, y: 2}}, "
                + "d: {value: 3}}}", ["/b": .json(#"{"id":7,"n":0}"#)],
            gives: #"{"a":{"b":{"id":7},"z":{"y":2}}}"#),
        KeyExample.part(
            "part.keep part.value", "a: {value: {b: 1, c: 2}, keep: [c]}, d: {value: \"{parts.a.b}\"}",
            gives: #"{"a":{"c":2},"d":1}"#),
        KeyExample.part(
            "part.when part.parts",
            "a: {value: false}, b: {when: \"{parts.a}\", parts: {c: {upstream: api, get: /c}}}, d: {value: \"{parts.b}\"}",
            gives: #"{"a":false,"b":null,"d":null}"#),
    ]

    // MARK: Groups of steps

    static let stepGroups: [KeyExample] = [
        KeyExample.endpoint(
            "step.parts",
            "{put: /x, first: {a: {parts: {b: {upstream: api, put: /b}, c: {upstream: api, put: /c}}}}, "
                + "data: {value: [\"{first.a.b}\", \"{first.a.c}\"]}}"
        ) { bench async throws in
            bench.answers = ["/b": .json("2").after(.seconds(2)), "/c": .json("3").after(.seconds(2))]
            let reply = try await bench.ask(.put, "/x")
            #expect(try reply.data == "[2,3]")
            #expect(reply.elapsed == .seconds(2))
        }
    ]

    // MARK: References

    static let references: [KeyExample] = [
        KeyExample.endpoint("reference.path", "get: /x/{id}\n  data: {upstream: api, get: \"/a/{path.id}\"}")
        { bench async throws in
            _ = try await bench.ask("/x/b%20c")
            #expect(bench.calls[0].path == "/a/b%20c")
        },
        KeyExample.endpoint(
            "reference.query",
            "{get: /x, query: {q: {required: false}}, data: {upstream: api, get: /a, query: {r: \"{query.q}\"}}}"
        ) { bench async throws in
            _ = try await bench.ask("/x?q=1")
            #expect(bench.calls[0].query == "r=1")
            _ = try await bench.ask("/x")
            #expect(bench.calls[0].query == nil)
        },
        KeyExample.endpoint(
            "reference.header",
            "{get: /x, headers: {X-A: string}, data: {upstream: api, get: /a, headers: {X-B: \"<{header.X-A}>\"}}}"
        ) { bench async throws in
            _ = try await bench.ask("/x", ["X-A": "1"])
            #expect(bench.calls[0].fields["X-B"] == "<1>")
        },
        KeyExample.endpoint(
            "reference.body",
            "{put: /x, body: {type: object}, data: {upstream: api, put: /a, body: {b: \"{body.c[0]}\"}}}"
        ) { bench async throws in
            _ = try await bench.ask(.put, "/x", json: #"{"c":[1.50]}"#)
            #expect(bench.calls[0].body == #"{"b":1.50}"#)
        },
        KeyExample.endpoint(
            "reference.first",
            "{put: /x, first: {s: {upstream: api, put: /s}}, data: {value: \"{first.s.id}\"}}"
        ) { bench async throws in
            bench.answers = ["/s": .json(#"{"id":7}"#)]
            #expect(try await bench.ask(.put, "/x").data == "7")
        },
        KeyExample.part(
            "reference.parts",
            "a: {value: {\"first name\": 1, list: [{id: 2}, {id: 3}]}, hidden: true}, b: {value: \"{parts.a['first name']}\"}, "
                + "c: {value: \"{parts.a.list[1].id}\"}, d: {value: \"{parts.a.list[*].id}\"}, e: {value: \"{{{parts.a.list[0].id}}\"}",
            gives: #"{"b":1,"c":3,"d":[2,3],"e":"{2}"}"#),
        KeyExample.part(
            "reference.parts",
            "a: {parts: {b: {value: 1}, c: {value: {d: 2}, merge: true}}}, e: {value: [\"{parts.a}\", \"{parts.a.d}\"]}",
            gives: #"{"a":{"b":1,"d":2},"e":[{"b":1,"d":2},2]}"#),
        KeyExample.part(
            "reference.item",
            "a: {value: [{id: 2}], hidden: true}, b: {upstream: api, get: \"/{item.id}\", forEach: \"{parts.a}\"}",
            ["/2": .json("7")], gives: #"{"b":[7]}"#),
    ]
}
