import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("Failures in OpenAPI descriptions")
struct OpenAPIFailureTests {
    private func description(_ endpoint: String) throws -> JSONFragment {
        let text = """
            upstreams: {a: {url: http://a}, b: {url: http://b}, own: {url: http://c, headers: {Authorization: Basic eA==}}}
            endpoints:
            - \(endpoint)
            """
        let document = try #require(ConfigReading.read(text: text).document)
        return try JSONFragment(parsing: OpenAPIText.make(document))
    }

    private func statuses(_ endpoint: String) throws -> [String] {
        let item = try #require(try description(endpoint)[member: "paths"]?.members.first?.value)
        let responses = try #require(item.members.first?.value[member: "responses"])
        return responses.members.map(\.name).filter { $0 != "200" }
    }

    /// The gateway's own failures.
    private static let own = ["400", "503", "508"]
    private static let passed = [
        "400", "404", "409", "410", "412", "422", "502", "503", "504", "508",
    ]

    @Test(
        "A status of an upstream is a failure if the answer requires its call",
        arguments: [
            "data: {upstream: a, get: /}",
            "parts: {x: {parts: {y: {upstream: a, get: /}}}}",
            "parts: {x: {atLeast: 1, parts: {y: {upstream: a, get: /, optional: true}}}}",
            "parts: {l: {value: [1]}, x: {upstream: a, get: /, forEach: '{parts.l}'}}",
            "parts: {l: {value: [1]}, x: {upstream: a, get: /, forEach: '{parts.l}', atLeast: 0, itemFailure: fail}}",
            "first: {s: {upstream: a, post: /}}, parts: {x: {upstream: a, get: /, optional: true}}",
            "first: {g: {parts: {s: {upstream: a, post: /}, t: {upstream: b, get: /}}}}, parts: {x: {value: 1}}",
        ])
    func required(content: String) throws {
        #expect(try statuses("{get: /x, \(content)}") == Self.passed)
    }

    @Test(
        "A required part that reads an optional one fails with its status",
        arguments: [
            "x: {upstream: a, get: /, fallback: 1}, y: {value: '{parts.x}'}",
            "x: {upstream: a, get: /, optional: true}, y: {value: 1, when: '{parts.x}'}",
            "x: {upstream: a, get: /, optional: true}, y: {parts: {z: {value: 1}}, when: '{parts.x}'}",
            "g: {optional: true, parts: {x: {upstream: a, get: /}}}, y: {value: '{parts.g}'}",
            "x: {upstream: a, get: /, optional: true}, w: {value: '{parts.x}', optional: true}, y: {value: '{parts.w}'}",
        ])
    func dependency(parts: String) throws {
        #expect(try statuses("{get: /x, parts: {\(parts)}}") == Self.passed)
    }

    @Test(
        "Optional parts leave the size of the answer as the only failure of their own",
        arguments: [
            "data: {upstream: a, get: /, optional: true}",
            "data: {upstream: a, get: /, fallback: []}",
            "parts: {x: {optional: true, parts: {y: {upstream: a, get: /}}}}",
            "parts: {g: {parts: {x: {upstream: a, get: /, optional: true}}}}",
        ])
    func optional(content: String) throws {
        #expect(try statuses("{get: /x, \(content)}") == ["400", "502", "503", "508"])
    }

    @Test(
        "A required part that waits for calls that may fail can miss the deadline",
        arguments: [
            "l: {value: [1]}, x: {upstream: a, get: /, forEach: '{parts.l}', atLeast: 0}",
            "g: {parts: {x: {upstream: a, get: /, optional: true}}}, y: {value: '{parts.g}'}",
        ])
    func waiting(parts: String) throws {
        let statuses = try statuses("{get: /x, parts: {\(parts)}}")
        #expect(statuses == ["400", "502", "503", "504", "508"])
    }

    @Test("A constant answer has only the failures of the gateway itself")
    func constant() throws {
        #expect(try statuses("{get: /x, data: {value: {done: true}}}") == Self.own)
    }

    @Test(
        "401 and 403 are failures if a required call passes the client's Authorization on",
        arguments: [
            ("credentials: [a]", "upstream: a", true), ("credentials: [b]", "upstream: a", false),
            ("cookies: [a]", "upstream: a", false), ("credentials: [own]", "upstream: own", true),
            ("credentials: [a]", "headers: {Authorization: x}, upstream: a", false),
            ("credentials: [a]", "optional: true, upstream: a", false),
        ])
    func credentials(setting: String, part: String, isListed: Bool) throws {
        let statuses = try statuses("{get: /x, \(setting), data: {\(part), get: /}}")
        #expect(statuses.contains("401") == isListed)
        #expect(statuses.contains("403") == isListed)
    }

    @Test("Only the failures that occur are components, in the endpoint's form")
    func components() throws {
        let description = try description(
            "{get: /x, answer: {envelope: bare}, data: {value: {done: true}}}")
        let components = try #require(description[member: "components"]?[member: "responses"])
        #expect(components.members.map(\.name) == ["BadRequestProblem", "UnavailableProblem", "LoopProblem"])
        let content = try #require(components.members.first?.value[member: "content"])
        #expect(content.members.map(\.name) == ["application/problem+json"])
    }

    @Test(
        "An upstream's own response may have the status of a failure of a proxy",
        arguments: [
            ("", "ProxyUnavailable", ["application/json", "application/problem+json"]),
            (", answer: {envelope: bare}", "ProxyUnavailableProblem", ["application/problem+json"]),
        ])
    func proxy(settings: String, name: String, types: [String]) throws {
        let description = try description("{proxy: /x, upstream: a\(settings)}")
        let response = try #require(description[member: "components"]?[member: "responses"]?[member: name])
        let text =
            "The gateway or an upstream takes no requests now. Or the upstream answered with this status."
        #expect(response[member: "description"]?.stringValue == text)
        let content = try #require(response[member: "content"])
        #expect(content.members.map(\.name) == types + ["*/*"])
        for type in types {
            let kinds = content[member: type]?[member: "schema"]?[member: "anyOf"]?.elements ?? []
            // The second allows anything.
            #expect(kinds.map { $0.members.map(\.name) } == [["$ref"], ["description"]])
        }
    }

    @Test(
        "Only the call of a proxy has no name in the errors",
        arguments: [
            ("{get: /x, data: {upstream: a, get: /}}", #""string""#),
            ("{proxy: /x, upstream: a}", #"["string", "null"]"#),
        ])
    func names(endpoint: String, type: String) throws {
        let schemas = try #require(try description(endpoint)[member: "components"]?[member: "schemas"])
        let part = try #require(schemas[member: "FailedPart"]?[member: "properties"]?[member: "part"])
        #expect(part[member: "type"]?.description == type)
    }

    private static let access = """
        listen: {host: 0.0.0.0}
        upstreams: {a: {url: http://a}}
        auth:
          known: {apiKeys: {file: f}}
          hidden: {apiKeys: {file: f, header: "X-${NAME}"}}
          asked: {authorize: {upstream: a, get: /auth}}
        rateLimits: {told: {key: client, rate: 5/1s}, quiet: {key: client, rate: 5/1s, headers: off}}
        endpoints:
        - {get: /x, data: {value: 1}, MEMBERS}
        """

    private func access(_ members: String) throws -> JSONFragment {
        let text = Self.access.replacing("MEMBERS", with: members)
        return try JSONFragment(
            parsing: OpenAPIText.make(
                try #require(ConfigReading.read(text: text, mode: .staticCheck).document)))
    }

    private func operation(_ description: JSONFragment) throws -> JSONFragment {
        try #require(description[member: "paths"]?[member: "/x"]?[member: "get"])
    }

    @Test(
        "An endpoint whose credential only a variable describes is not described as open",
        arguments: [
            ("require: known", [["known"]]), ("require: none", nil), ("require: hidden", [["auth.unknown"]]),
            ("require: [\"${E}\"]", [["auth.unknown"]]), ("require: [\"${E}\", known]", [["known"]]),
            ("require: {any: hidden, optional: true}", [[], ["auth.unknown"]]),
        ] as [(String, [[String]]?)])
    func hiddenCredentials(_ members: String, _ security: [[String]]?) throws {
        let description = try access(members)
        let alternatives = try operation(description)[member: "security"]?.elements
        #expect(alternatives?.map { $0.members.map(\.name) } == security)
        let schemes = description[member: "components"]?[member: "securitySchemes"]?.members.map(\.name)
        #expect(schemes ?? [] == security?.last ?? [])
    }

    @Test(
        "A 429 has the fields of limits only where limits show them",
        arguments: [
            ("rateLimits: told", ["Retry-After", "RateLimit", "RateLimit-Policy"]),
            ("rateLimits: [told, quiet]", ["Retry-After", "RateLimit", "RateLimit-Policy"]),
            ("rateLimits: quiet", ["Retry-After"]), ("require: asked", ["Retry-After"]),
        ])
    func limitFields(_ members: String, _ fields: [String]) throws {
        let description = try access(members)
        let reference = try operation(description)[member: "responses"]?[member: "429"]?[member: "$ref"]
        let name = try #require(reference?.stringValue?.split(separator: "/").last)
        let response = description[member: "components"]?[member: "responses"]?[member: String(name)]
        #expect(response?[member: "headers"]?.members.map(\.name) == fields)
    }
}
