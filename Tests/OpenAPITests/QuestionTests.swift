import JSONBytes
import Testing

@testable import OpenAPI

@Suite("Questions of calls")
struct QuestionTests {
    private func contract(_ version: String = "3.0.3") throws -> OperationContract {
        try operation(
            #"""
            "parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}},
            {"name":"limit","in":"query","required":true,"schema":{"type":"integer","maximum":50}},
            {"name":"tags","in":"query","schema":{"type":"array","items":{"type":"string","maxLength":3}},"explode":false},
            {"name":"X-Tenant","in":"header","required":true,"schema":{"type":"string"}},
            {"name":"page","in":"query","schema":{"type":"object","properties":{"from":{"type":"integer"}},"additionalProperties":false}}],
            "requestBody":{"required":true,"content":{"application/json":{}}},
            "responses":{"200":{"content":{"application/json":{"schema":{"$ref":"~Order"}}}},
            "404":{"content":{"application/json":{"schema":{"type":"object","properties":{"reason":{}}}}}}}
            """#, version: version,
            components: #"""
                {"schemas":{"Order":{"type":"object","properties":{
                "lines":{"type":"array","items":{"$ref":"~Line"}},
                "meta":{"type":"object"},"any":{},"state":{"enum":["open",1]},
                "more":{"type":"object","additionalProperties":{"type":"integer"}},
                "pay":{"oneOf":[{"$ref":"~Card"},{"type":"object","properties":{"iban":{"type":"string"}}}]},
                "base":{"allOf":[{"$ref":"~Card"},{"type":"object","properties":{"extra":{"type":"boolean"}}}]},
                "pair":{"type":"array","items":{"type":"array","items":{"$ref":"~Line"}}},
                "closed":{"type":"object","additionalProperties":false,"properties":{"a":{}}},
                "next":{"$ref":"~Order"}}},
                "Line":{"type":"object","properties":{"sku":{"type":"string"},"count":{"type":"integer"}}},
                "Card":{"type":"object","properties":{"number":{"type":"string"}}}}}
                """#)
    }

    @Test(
        "An unknown parameter is told with the one that is near",
        arguments: [
            (
                "lim", ParameterPlace.query,
                #"GET /orders/{id} has no query parameter "lim"; did you mean "limit"?"#
            ),
            ("limit", .query, nil), ("from", .query, nil), ("x-tenant", .field, nil),
            (
                "X-Tennant", .field,
                #"GET /orders/{id} has no header parameter "X-Tennant"; did you mean "X-Tenant"?"#
            ),
            ("form", .query, #"GET /orders/{id} has no query parameter "form"; did you mean "from"?"#),
        ] as [(String, ParameterPlace, String?)])
    func unknown(name: String, place: ParameterPlace, message: String?) throws {
        #expect(try contract().unknown(name, in: place) == message)
    }

    @Test("A query with an open object, or a style that is not known, may have any parameter")
    func openQuery() throws {
        let open = try operation(parameter: #"{"name":"q","in":"query","schema":{"type":"object"}}"#)
        #expect(open.unknown("x", in: .query) == nil)
        let deep = try operation(
            parameter: #"{"name":"q","in":"query","style":"deepObject","schema":{"type":"object"}}"#)
        #expect(deep.unknown("q[a]", in: .query) == nil)
        #expect(deep.missing(query: [], fields: [], hasBody: false) == [])
    }

    @Test("Parameters that a call lacks are told")
    func missing() throws {
        let contract = try contract()
        #expect(
            contract.missing(query: [], fields: [], hasBody: false) == [
                #"GET /orders/{id} requires the query parameter "limit""#,
                #"GET /orders/{id} requires the header parameter "X-Tenant""#,
                "GET /orders/{id} requires a body",
            ])
        #expect(contract.missing(query: ["limit"], fields: ["x-tenant"], hasBody: true) == [])
    }

    @Test("A required object is there with one of its members")
    func missingObject() throws {
        let contract = try operation(
            parameter:
                #"{"name":"q","in":"query","required":true,"schema":{"type":"object","properties":{"a":{}},"additionalProperties":false}}"#
        )
        #expect(contract.missing(query: ["q"], fields: [], hasBody: false).count == 1)
        #expect(contract.missing(query: ["a"], fields: [], hasBody: false) == [])
    }

    @Test(
        "Constants are checked as requests are",
        arguments: [
            ("limit", ParameterPlace.query, ["51"], ["query limit maximum"]),
            ("limit", .query, ["x"], ["query limit type"]),
            ("limit", .query, ["50"], []), ("id", .path, ["a b"], ["path id type"]), ("id", .path, ["7"], []),
            ("tags", .query, ["a&b,cde"], []), ("tags", .query, ["abc,defg"], ["query tags /1 maxLength"]),
            ("x-tenant", .field, ["a"], []), ("unknown", .query, ["a"], []),
        ])
    func constants(name: String, place: ParameterPlace, texts: [String], expected: [String]) throws {
        #expect(try contract().faults(ofConstants: texts, for: name, in: place).map(\.short) == expected)
    }

    @Test(
        "A path that no successful response has is told with a name that is near",
        arguments: [
            ("", nil), ("/lines", nil), ("/lines/0/sku", nil), ("/next/next/lines/12/count", nil),
            ("/meta/any", nil),
            ("/any/thing/0", nil), ("/more/x", nil), ("/pay/number", nil), ("/pay/iban", nil),
            ("/base/number", nil),
            ("/base/extra", nil), ("/pair/0/1/sku", nil), ("/closed/a/b", nil),
            ("/lines/0/sk", #"no response of GET /orders/{id} has /lines/0/sk; did you mean "sku"?"#),
            ("/line", #"no response of GET /orders/{id} has /line; did you mean "lines"?"#),
            ("/lines/sku", "no response of GET /orders/{id} has /lines/sku"),
            ("/closed/b/c", "no response of GET /orders/{id} has /closed/b/c"),
            ("/reason", "no response of GET /orders/{id} has /reason"),
            ("/pay/numbr", #"no response of GET /orders/{id} has /pay/numbr; did you mean "number"?"#),
            ("/state/x", "no response of GET /orders/{id} has /state/x"),
            ("/lines/0/sku/x", "no response of GET /orders/{id} has /lines/0/sku/x"),
            ("/more/x/y", "no response of GET /orders/{id} has /more/x/y"),
        ] as [(String, String?)])
    func pointers(path: String, message: String?) throws {
        let pointer = try JSONPointer(path)
        for version in ["3.0.3", "3.1.0"] { #expect(try contract(version).unsatisfied(pointer) == message) }
    }

    @Test(
        "Paths of members go through arrays, and steps of references as they say",
        arguments: [
            ("lines.sku", nil), ("pair.sku", nil), ("next.lines.count", nil),
            ("lines.sk", #"no response of GET /orders/{id} has lines.sk; did you mean "sku"?"#),
            ("pay.ibn", #"no response of GET /orders/{id} has pay.ibn; did you mean "iban"?"#),
        ] as [(String, String?)])
    func memberPaths(path: String, message: String?) throws {
        #expect(try contract().unsatisfied(try JSONMemberPath(path)) == message)
    }

    @Test("Steps of a reference")
    func steps() throws {
        let contract = try contract()
        func steps(_ path: [JSONPathStep]) -> String? { contract.unsatisfied(path, shown: "order") }
        let lines = JSONPathStep.name(Array("lines".utf8))
        let sku = JSONPathStep.name(Array("sku".utf8))
        #expect(steps([lines, .all, sku]) == nil)
        #expect(steps([lines, .index(3), sku]) == nil)
        #expect(steps([.all, .all]) == nil)
        #expect(steps([lines, sku]) == "no response of GET /orders/{id} has order")
        #expect(steps([.index(0)]) == "no response of GET /orders/{id} has order")
    }

    @Test("A kind that no response has at a path is told")
    func kinds() throws {
        let contract = try contract()
        #expect(contract.unsatisfied("/lines" as JSONPointer, kinds: [.array]) == nil)
        #expect(
            contract.unsatisfied("/lines" as JSONPointer, kinds: [.object])
                == "no response of GET /orders/{id} has an object at /lines")
        #expect(
            contract.unsatisfied("" as JSONPointer, kinds: [.array, .string])
                == "no response of GET /orders/{id} has a string or an array at its root")
        #expect(contract.unsatisfied("/state" as JSONPointer, kinds: [.number]) == nil)
        #expect(contract.unsatisfied("/any" as JSONPointer, kinds: [.null]) == nil)
    }

    @Test(
        "Nothing is told if no response is described, or one has no schema",
        arguments: [
            "{}", #"{"200":{}}"#, #"{"200":{"content":{"application/json":{}}}}"#,
            #"{"default":{"content":{"application/json":{"schema":{}}}}}"#,
        ])
    func undescribed(responses: String) throws {
        let contract = try operation(#""responses":\#(responses)"#)
        #expect(contract.unsatisfied("/a/b" as JSONPointer) == nil)
    }

    @Test("Schemas that a discriminator names extend the one that has it")
    func extended() throws {
        let contract = try operation(
            #""responses":{"200":{"content":{"application/json":{"schema":{"$ref":"~Pet"}}}}}"#,
            components: #"""
                {"schemas":{"Pet":{"type":"object","properties":{"kind":{"type":"string"}},
                "discriminator":{"propertyName":"kind","mapping":{"cat":"~Cat"}}},
                "Cat":{"allOf":[{"$ref":"~Pet"},{"type":"object","properties":{"lives":{"type":"integer"}}}]}}}
                """#)
        #expect(contract.unsatisfied("/kind" as JSONPointer) == nil)
        #expect(contract.unsatisfied("/lives" as JSONPointer) == nil)
        #expect(
            contract.unsatisfied("/live" as JSONPointer)
                == #"no response of GET /orders/{id} has /live; did you mean "lives"?"#)
    }
}
